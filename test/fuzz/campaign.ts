/** Many requests at one service, what is wrong with its answers, and what they cost it. */
import { readFileSync } from 'node:fs';
import { shapeComplaint } from '../e2e/hostile/broken-bodies.ts';
import { type Answer, Sender } from '../e2e/hostile/sender.ts';
import { CLIENT_PATH } from './client-dialect.ts';
import type { FuzzRequest, FuzzRequests } from './fuzz-requests.ts';

export interface Campaign {
  readonly requests: FuzzRequests;
  readonly count: number;
  /** Texts that no answer may hold. */
  readonly secrets: readonly string[];
  readonly pid: number;
  readonly url: string;
  /** Called now and then, for people who wait. */
  readonly onProgress: (sent: number, found: Pick<Findings, 'complaints' | 'memory'>) => void;
}

export interface Findings {
  readonly statuses: Map<number, number>;
  /** Operations that were answered with success at least once, and those that were tried. */
  readonly succeeded: Set<string>;
  readonly tried: Set<string>;
  readonly complaints: string[];
  /** The memory of the service, in MiB: before, and the most that was seen. */
  readonly memory: { readonly beforeMiB: number; mostMiB: number };
  /** The slowest request, in milliseconds. */
  readonly slowest: { ms: number; what: string };
  readonly perSecond: number;
}

const BATCH = 250;
const PROGRESS_EVERY = 5_000;

export async function runCampaign(campaign: Campaign): Promise<Findings> {
  const { requests, count, pid, url } = campaign;
  const sender = new Sender(url);
  const beforeMiB = residentMiB(pid);
  const found: Omit<Findings, 'perSecond'> = {
    ...{ statuses: new Map(), succeeded: new Set(), tried: new Set(), complaints: [] },
    ...{ memory: { beforeMiB, mostMiB: beforeMiB }, slowest: { ms: 0, what: '' } },
  };
  const startedMs = performance.now();
  for (let sent = 0; sent < count; sent += BATCH) {
    const all = Array.from({ length: Math.min(BATCH, count - sent) }, () => requests.next());
    const answers = await timed(sender, all, found);
    for (const [index, answer] of answers.entries()) note(campaign, all[index] as FuzzRequest, answer, found);
    found.memory.mostMiB = Math.max(found.memory.mostMiB, residentMiB(pid));
    if ((sent + BATCH) % PROGRESS_EVERY === 0) campaign.onProgress(sent + BATCH, found);
  }
  const seconds = (performance.now() - startedMs) / 1_000;
  sender.close();
  return { ...found, perSecond: Math.round(count / seconds) };
}

async function timed(
  sender: Sender,
  all: readonly FuzzRequest[],
  { slowest }: Pick<Findings, 'slowest'>,
): Promise<Answer[]> {
  const timing = {
    async send(request: FuzzRequest): Promise<Answer> {
      const startedMs = performance.now();
      const [answer] = await sender.sendAll([request]);
      const ms = Math.round(performance.now() - startedMs);
      if (ms > slowest.ms) Object.assign(slowest, { ms, what: describe(request, 300) });
      return answer as Answer;
    },
  };
  const answers: Answer[] = new Array(all.length);
  let next = 0;
  const work = async (): Promise<void> => {
    for (let index = next++; index < all.length; index = next++) {
      answers[index] = await timing.send(all[index] as FuzzRequest);
    }
  };
  await Promise.all(Array.from({ length: 8 }, work));
  return answers;
}

function note(
  { requests, secrets }: Campaign,
  request: FuzzRequest,
  answer: Answer,
  found: Omit<Findings, 'perSecond'>,
): void {
  const { status, text, headers } = answer;
  found.statuses.set(status, (found.statuses.get(status) ?? 0) + 1);
  found.tried.add(request.operation);
  if (status >= 200 && status < 300) found.succeeded.add(request.operation);
  requests.learn(request, answer);
  const wrong = complaint(request, answer);
  if (wrong !== undefined) found.complaints.push(`${describe(request, 1_500)}: ${status} ${wrong}`);
  const whole = `${text}${JSON.stringify(headers)}`;
  if (secrets.some((secret) => whole.includes(secret)))
    found.complaints.push(`${describe(request, 300)}: tells a secret`);
}

/** Pages that say why a login did not do. */
const IS_PAGE = /^text\/html/;

function complaint({ method, operation, target }: FuzzRequest, answer: Answer): string | undefined {
  const { status, text, headers } = answer;
  // A service that cannot answer now says so, and when to ask again.
  const isPutOff = status === 503 && headers['retry-after'] !== undefined;
  if (!isPutOff && (status < 200 || status >= 500)) return text.slice(0, 300);
  if (status < 400 || method === 'HEAD') return undefined;
  const isPage = operation === 'POST /api/login/' && IS_PAGE.test(`${headers['content-type']}`);
  if (isPage && (status === 401 || status === 429)) return undefined;
  if (method === 'GET' && CLIENT_PATH.test(target) && isStrict(answer))
    return `what is to be read leniently: ${text.slice(0, 300)}`;
  return shapeComplaint(answer);
}

/** Refused for a page or an order that a client's list may well ask for. */
function isStrict({ status, json }: Answer): boolean {
  const problems: readonly { path: string }[] = (status === 400 && json?.errors) || [];
  return problems.some(({ path }) => ['page', 'page_size', 'order'].includes(path));
}

function describe({ method, target, body, headers }: FuzzRequest, charsMax: number): string {
  const sent = typeof body === 'string' ? body : (JSON.stringify(body) ?? '');
  const more = headers === undefined ? '' : JSON.stringify(headers).slice(0, 200);
  return `${method} ${target.slice(0, 300)} ${more} ${sent.slice(0, charsMax)}`;
}

export function residentMiB(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1_024);
}
