/**
 * Several launches in one message: the fields that all launches of one revision of a job type share are sent once. In
 * bursts a launch takes about a fifth of the processor time of a message of its own, most of which goes to gRPC and the
 * revision's manifest (`npm run bench -- agent-messages`).
 */
import { AppError } from '../errors.ts';
import type { CoordinatorMessage, Launch, Launches, LaunchRevision } from './coordinator-messages.ts';
import { charsIn, TOGETHER_CHARS_MAX, TOGETHER_MAX } from './message-size.ts';

/**
 * How many of the messages from `start` on are launches that may travel in one message: 0 if the first is no launch.
 */
export function countLaunches(messages: readonly CoordinatorMessage[], start: number): number {
  const revisions: LaunchRevision[] = [];
  let chars = 0;
  for (let count = 0; count < TOGETHER_MAX; count++) {
    const message = messages[start + count];
    if (message?.type !== 'launch') return count;
    chars += charsIn(message);
    if (revisions.some((one) => hasRevision(message, one)))
      chars -= message.manifest.length + message.mounts.length;
    else revisions.push(message);
    if (count > 0 && chars > TOGETHER_CHARS_MAX) return count;
  }
  return TOGETHER_MAX;
}

/**
 * The message to write next, and how many of those from `start` on it stands for. `takesLaunches`: whether the agent
 * accepts several launches in one message.
 */
export function nextMessage(
  messages: readonly CoordinatorMessage[],
  start: number,
  takesLaunches: boolean,
): { readonly message: CoordinatorMessage; readonly count: number } {
  const count = takesLaunches ? countLaunches(messages, start) : 0;
  if (count <= 1) return { message: messages[start] as CoordinatorMessage, count: 1 };
  return { message: gatherLaunches(messages.slice(start, start + count) as Launch[]), count };
}

const EMPTY_REVISION: LaunchRevision = {
  jobTypeName: '',
  jobTypeVersion: '',
  containerImage: '',
  manifest: '',
  mounts: '',
  isSystem: false,
};

/** The launches as one message, in their order. */
export function gatherLaunches(launches: readonly Launch[]): Launches {
  const revisions: LaunchRevision[] = [];
  const items = launches.map((launch) => {
    let revision = revisions.findIndex((one) => hasRevision(launch, one));
    if (revision < 0) revision = revisions.push(revisionOf(launch)) - 1;
    return { revision, launch: { ...launch, ...EMPTY_REVISION } };
  });
  return { type: 'launches', revisions, items };
}

/** The launches of a message, as if each came alone. Throws AppError INVALID_REQUEST if one has no revision. */
export function launchesOf({ revisions, items }: Launches): Launch[] {
  return items.map(({ revision, launch }) => {
    const shared = revisions[revision];
    if (shared === undefined) throw new AppError('INVALID_REQUEST', 'a launch without its revision');
    return { ...launch, ...shared, type: 'launch' };
  });
}

function hasRevision(launch: Launch, revision: LaunchRevision): boolean {
  return (
    launch.jobTypeName === revision.jobTypeName &&
    launch.jobTypeVersion === revision.jobTypeVersion &&
    launch.containerImage === revision.containerImage &&
    launch.mounts === revision.mounts &&
    launch.isSystem === revision.isSystem &&
    launch.manifest === revision.manifest
  );
}

function revisionOf(launch: Launch): LaunchRevision {
  const { jobTypeName, jobTypeVersion, containerImage, manifest, mounts, isSystem } = launch;
  return { jobTypeName, jobTypeVersion, containerImage, manifest, mounts, isSystem };
}
