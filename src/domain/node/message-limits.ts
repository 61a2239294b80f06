/**
 * Limits of what is accepted from an agent. The wire limits a message's bytes and parts; here each message is checked
 * against what a correct agent sends, before an actor does any work for it. Messages that the agent would only repeat
 * are refused, text for users is cut, and a task whose report is too large has failed.
 */
import { storableText } from '../document/json-value.ts';
import type {
  AgentMessage,
  Amounts,
  Hello,
  HostReport,
  NodeCondition,
  Offer,
  TaskUpdate,
  TaskUpdates,
} from './agent-messages.ts';

/** limit: files in one batch of a monitor, or on one page of a listing. Agents send a tenth of this. */
export const FILES_MAX = 10_000;
/** limit: reports, or progress entries, in one message. Agents send a hundredth of this. */
export const UPDATES_MAX = 10_000;
/** limit: products, and described inputs, of one execution. */
export const OUTPUTS_MAX = 100_000;
/** limit: characters of all side-cars, and of the JSON outputs, of one execution. */
export const RESULT_CHARS_MAX = 16 * 1024 * 1024;
/** limit: executions of each kind that an agent holds. */
export const HELD_MAX = 100_000;
/** limit: labels, executors, and resources of a host. */
export const FACTS_MAX = 1_000;
/** limit: errors, and warnings, of an offer. */
export const CONDITIONS_MAX = 100;
/** limit: kinds of host tasks in an offer. */
export const TASKS_MAX = 100;
/** limit: workspaces in an agent's message. */
const WORKSPACES_MAX = 10_000;
/** limit: files that one request to delete names. */
const DELETIONS_MAX = 1_000;
/** limit: characters of a name, of a path, and of a sentence for people. */
export const NAME_CHARS_MAX = 250;
export const PATH_CHARS_MAX = 4_096;
export const TEXT_CHARS_MAX = 2_000;

/** A message that may be handled, or why it may not. `cut`: the parts that were removed. */
export type Limited =
  | { readonly message: AgentMessage; readonly cut?: string }
  | { readonly refused: string };

type Limit<T extends AgentMessage['type']> = (message: Extract<AgentMessage, { type: T }>) => Limited;

// If a message is added to the contract without a limit here, this does not compile.
const LIMITS: { readonly [T in AgentMessage['type']]: Limit<T> } = {
  heartbeat: (message) => ({ message }),
  hello: (message) => {
    const refused = helloProblem(message);
    return refused === undefined ? { message } : { refused };
  },
  offer: limitedOffer,
  taskUpdate: limitedResult,
  taskUpdates: limitedResults,
  filesSeen: (message) => files(message, message.files),
  listingPage: (message) => files(message, message.files),
  ingestUpdate: (message) => updates(message, [message]),
  ingestUpdates: (message) => updates(message, message.updates),
  ingestProgress: (message) => {
    const { ingests } = message;
    if (ingests.length <= UPDATES_MAX) return { message };
    return { message: { ...message, ingests: ingests.slice(0, UPDATES_MAX) }, cut: 'ingests' };
  },
  reachable: (message) => {
    const { workspaces } = message;
    const isLong = workspaces.some(({ reason }) => reason.length > TEXT_CHARS_MAX);
    if (workspaces.length <= WORKSPACES_MAX && !isLong) return { message };
    const taken = workspaces.slice(0, WORKSPACES_MAX).map((one) => ({ ...one, reason: text(one.reason) }));
    return { message: { ...message, workspaces: taken }, cut: 'workspaces' };
  },
  filesFound: (message) => {
    if (message.problem.length <= TEXT_CHARS_MAX) return files(message, message.files);
    return { message: { ...message, problem: text(message.problem) }, cut: 'problem' };
  },
  workspaceSeen: (message) => {
    if (message.reason.length <= TEXT_CHARS_MAX) return { message };
    return { message: { ...message, reason: text(message.reason) }, cut: 'reason' };
  },
  filesDeleted: (message) => {
    const { files: deleted } = message;
    if (deleted.length > DELETIONS_MAX) return { refused: `more than ${DELETIONS_MAX} files` };
    if (!deleted.some(({ reason }) => reason.length > TEXT_CHARS_MAX)) return { message };
    const taken = deleted.map((one) => ({ ...one, reason: text(one.reason) }));
    return { message: { ...message, files: taken }, cut: 'reasons' };
  },
};

export function limitedMessage(message: AgentMessage): Limited {
  const limit: (message: never) => Limited = LIMITS[message.type];
  return limit(message as never);
}

function helloProblem(hello: Hello): string | undefined {
  const held = [
    hello.executions,
    hello.monitorExecutionIds,
    hello.ingestExecutionIds,
    hello.listingExecutionIds,
  ];
  if (held.some(({ length }) => length > HELD_MAX)) return `an agent holds at most ${HELD_MAX} executions`;
  const [labels, resources] = [Object.entries(hello.labels), Object.keys(hello.resources)];
  const names = [...labels.flat(), ...resources, ...hello.executors, hello.version];
  names.push(hello.agentId, hello.bootId);
  const isMany = [labels, resources, hello.executors].some(({ length }) => length > FACTS_MAX);
  if (isMany) return `an agent has at most ${FACTS_MAX} labels, resources and executors`;
  const isLong = names.some(({ length }) => length > NAME_CHARS_MAX);
  return isLong ? `labels, resources and executors have at most ${NAME_CHARS_MAX} characters` : undefined;
}

function limitedOffer(offer: Offer): Limited {
  const [errors, warnings] = [conditions(offer.errors), conditions(offer.warnings)];
  const resources = amounts(offer.resources);
  const host = offer.host && hostReport(offer.host);
  const message = { ...offer, errors, warnings, resources, ...(host && { host }) };
  const isCut =
    errors !== offer.errors ||
    warnings !== offer.warnings ||
    resources !== offer.resources ||
    host !== offer.host;
  return isCut ? { message, cut: 'conditions or resources' } : { message: offer };
}

function hostReport(given: HostReport): HostReport {
  const resources = amounts(given.resources);
  const { taskFolder = '' } = given;
  const isOdd = taskFolder.length > PATH_CHARS_MAX || storableText(taskFolder) !== taskFolder;
  const isSound = given.tasks.length <= TASKS_MAX && given.tasks.every(({ type }) => isName(type)) && !isOdd;
  if (isSound && resources === given.resources) return given;
  const tasks = given.tasks.filter(({ type }) => isName(type)).slice(0, TASKS_MAX);
  return { resources, tasks, taskFolder: isOdd ? '' : taskFolder };
}

function isName(given: string): boolean {
  return given.length <= NAME_CHARS_MAX;
}

function conditions(given: readonly NodeCondition[]): readonly NodeCondition[] {
  const isLong = given.some(({ name, title, description }) => {
    return Math.max(name.length, title.length) > NAME_CHARS_MAX || description.length > TEXT_CHARS_MAX;
  });
  if (given.length <= CONDITIONS_MAX && !isLong) return given;
  return given.slice(0, CONDITIONS_MAX).map(({ name, title, description }) => ({
    name: text(name, NAME_CHARS_MAX),
    title: text(title, NAME_CHARS_MAX),
    description: text(description),
  }));
}

function amounts(given: Amounts): Amounts {
  const entries = Object.entries(given);
  const taken = entries.filter(([name]) => name.length <= NAME_CHARS_MAX).slice(0, FACTS_MAX);
  return taken.length === entries.length ? given : Object.fromEntries(taken);
}

/** A report is repeated until it is acknowledged: one that is too large fails its job, like invalid outputs. */
function limitedResult(update: TaskUpdate): { readonly message: TaskUpdate; readonly cut?: string } {
  const { outputs, parsedInputs, phases, error } = update;
  const reason = resultProblem(update);
  const detail = error === undefined ? '' : text(error.detail);
  const cutPhases = phases.slice(0, PHASES_MAX);
  const facts = storableFacts(update);
  if (reason === undefined) {
    const isSound = phases.length <= PHASES_MAX && detail === (error?.detail ?? '');
    if (isSound && facts === undefined) return { message: update };
    const cutError = error === undefined ? {} : { error: { ...error, detail } };
    const message = { ...update, ...cutError, ...facts, phases: cutPhases };
    return { message, cut: 'phases, the error or figures' };
  }
  const failed: TaskUpdate = {
    ...update,
    ...facts,
    ...{ outcome: 'FAILED', outputs: [], parsedInputs: [], jsonOutputs: '', phases: cutPhases },
    error: { name: 'invalid-results-manifest', isBuiltin: true, detail: reason },
  };
  return { message: failed, cut: `${outputs.length} outputs and ${parsedInputs.length} parsed inputs` };
}

/** Limits each report as if it came alone. */
function limitedResults(message: TaskUpdates): Limited {
  if (message.updates.length > UPDATES_MAX) return { refused: `more than ${UPDATES_MAX} reports` };
  let cut: string | undefined;
  const updates = message.updates.map((update) => {
    const limited = limitedResult({ type: 'taskUpdate', ...update });
    cut ??= limited.cut;
    return limited.message;
  });
  return cut === undefined ? { message } : { message: { ...message, updates }, cut };
}

const DIGEST = /^sha256:[0-9a-f]{64}$/;

/** The facts of a report without the invalid ones; undefined if all are valid. */
function storableFacts({ used, imageDigest, logCut }: TaskUpdate): Partial<TaskUpdate> | undefined {
  const isAmount = (given: number | undefined) => given === undefined || given >= 0;
  const { source, ...figures } = used ?? { source: 'rusage' };
  const isDigest = imageDigest === undefined || DIGEST.test(imageDigest);
  const isCutValid = isAmount(logCut?.stdout) && isAmount(logCut?.stderr);
  if (Object.values(figures).every(isAmount) && isDigest && isCutValid) return undefined;
  const kept = Object.entries(figures).filter(([, figure]) => isAmount(figure));
  return {
    used: used && { source, ...Object.fromEntries(kept) },
    imageDigest: isDigest ? imageDigest : undefined,
    logCut: isCutValid ? logCut : undefined,
  };
}

/** limit: phases in a report; each has a start and an end. */
const PHASES_MAX = 20;

function resultProblem({ outputs, parsedInputs, jsonOutputs }: TaskUpdate): string | undefined {
  if (Math.max(outputs.length, parsedInputs.length) > OUTPUTS_MAX)
    return `the task reported more than ${OUTPUTS_MAX} outputs`;
  let chars = jsonOutputs.length;
  for (const { metadata } of outputs) chars += metadata.length;
  for (const { metadata } of parsedInputs) chars += metadata.length;
  if (chars > RESULT_CHARS_MAX) return `the task reported more than ${RESULT_CHARS_MAX} characters`;
  const isLong = outputs.some(
    ({ path, fileName }) => Math.max(path.length, fileName.length) > PATH_CHARS_MAX,
  );
  return isLong ? `the task reported a path of more than ${PATH_CHARS_MAX} characters` : undefined;
}

function files(
  message: AgentMessage,
  listed: readonly { readonly path: string; readonly identity: string }[],
): Limited {
  if (listed.length > FILES_MAX) return { refused: `more than ${FILES_MAX} files` };
  const isLong = listed.some(({ path, identity }) => Math.max(path.length, identity.length) > PATH_CHARS_MAX);
  return isLong ? { refused: `a path of more than ${PATH_CHARS_MAX} characters` } : { message };
}

function updates(
  message: AgentMessage,
  all: readonly { readonly path: string; readonly error?: { readonly detail: string } | undefined }[],
): Limited {
  if (all.length > UPDATES_MAX) return { refused: `more than ${UPDATES_MAX} reports` };
  const isLong = all.some(({ path, error }) => {
    return path.length > PATH_CHARS_MAX || (error?.detail.length ?? 0) > PATH_CHARS_MAX;
  });
  return isLong ? { refused: `a text of more than ${PATH_CHARS_MAX} characters` } : { message };
}

function text(given: string, charsMax = TEXT_CHARS_MAX): string {
  return given.length <= charsMax ? given : given.slice(0, charsMax).toWellFormed();
}
