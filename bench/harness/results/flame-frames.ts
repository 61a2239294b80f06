/** A processor profile of V8 as the frames of a flame graph: what called what, and for how long. */

/** The parts of a `.cpuprofile` that are read. Times are microseconds. */
export interface Profile {
  readonly nodes: readonly ProfileNode[];
  readonly startTime: number;
  /** The node that ran at each sample. */
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

interface ProfileNode {
  readonly id: number;
  readonly callFrame: { readonly functionName: string; readonly url: string };
  readonly children?: readonly number[];
}

export interface Frame {
  readonly name: string;
  /** 0: called by nothing. */
  readonly depth: number;
  /** Shares of the whole time, 0 to 1. */
  readonly from: number;
  readonly to: number;
  readonly code: 'Millrace' | 'packages' | 'Node';
}

export interface Flames {
  readonly seconds: number;
  readonly frames: readonly Frame[];
}

/** Narrower frames cannot be seen. */
const SHARE_MIN = 0.003;
/** limit: frames above one another. What is deeper is narrow and makes the graph high. */
const DEPTH_MAX = 28;
const IDLE = '(idle)';
const ROOT = '(root)';

/** Calls of the same function by the same callers. */
interface Calls {
  readonly name: string;
  readonly code: Frame['code'];
  us: number;
  readonly callees: Map<string, Calls>;
}

/** Leaves out what ran before `sinceUs`, on the clock of the profile, and idle time. */
export function flamesOf(profile: Profile, sinceUs: number): Flames {
  const root: Calls = { name: ROOT, code: 'Node', us: 0, callees: new Map() };
  const callsOf = callsByNode(profile, root);
  const nameOf = new Map(profile.nodes.map(({ id, callFrame }) => [id, callFrame.functionName]));
  let atUs = profile.startTime;
  for (const [index, id] of profile.samples.entries()) {
    const us = profile.timeDeltas[index] ?? 0;
    atUs += us;
    if (atUs < sinceUs || nameOf.get(id) === IDLE) continue;
    for (const calls of callsOf(id)) calls.us += us;
  }
  const frames: Frame[] = [];
  place(root, { depth: -1, from: 0, wholeUs: root.us }, frames);
  return { seconds: root.us / 1e6, frames };
}

/** For each node its calls and those of all its callers. */
function callsByNode(profile: Profile, root: Calls): (id: number) => readonly Calls[] {
  const nodes = new Map(profile.nodes.map((node) => [node.id, node]));
  const callers = new Map(profile.nodes.flatMap(({ id, children = [] }) => children.map((one) => [one, id])));
  const known = new Map<number, readonly Calls[]>();
  const callsOf = (id: number): readonly Calls[] => {
    const found = known.get(id);
    if (found !== undefined) return found;
    const node = nodes.get(id);
    const caller = callers.get(id);
    const before = caller === undefined ? [] : callsOf(caller);
    const calls = node === undefined || caller === undefined ? [root] : [...before, calleeOf(before, node)];
    known.set(id, calls);
    return calls;
  };
  return callsOf;
}

function calleeOf(callers: readonly Calls[], { callFrame }: ProfileNode): Calls {
  const caller = callers.at(-1) as Calls;
  const { file, code } = placeOf(callFrame.url);
  const name = `${callFrame.functionName || '(anonymous)'}${file === '' ? '' : ` ${file}`}`;
  const known = caller.callees.get(name);
  if (known !== undefined) return known;
  const calls: Calls = { name, code, us: 0, callees: new Map() };
  caller.callees.set(name, calls);
  return calls;
}

/** A file of ours from its room on, a package by its name. */
function placeOf(url: string): { readonly file: string; readonly code: Frame['code'] } {
  const name = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1];
  if (name !== undefined) return { file: name, code: 'packages' };
  const own = /\/(?:src\/(.+)|((?:node-agent|bench)\/.+))$/.exec(url);
  if (url.startsWith('file:') && own !== null) return { file: own[1] ?? own[2] ?? '', code: 'Millrace' };
  return { file: url.startsWith('node:') ? url : '', code: 'Node' };
}

interface Place {
  readonly depth: number;
  readonly from: number;
  readonly wholeUs: number;
}

/** The callees stand above their caller, those with the most time first. */
function place(calls: Calls, { depth, from, wholeUs }: Place, frames: Frame[]): void {
  const to = from + calls.us / wholeUs;
  if (depth >= 0) frames.push({ name: calls.name, depth, from, to, code: calls.code });
  if (depth + 1 >= DEPTH_MAX) return;
  let next = from;
  for (const callee of [...calls.callees.values()].sort((a, b) => b.us - a.us)) {
    if (callee.us / wholeUs < SHARE_MIN) return;
    place(callee, { depth: depth + 1, from: next, wholeUs }, frames);
    next += callee.us / wholeUs;
  }
}
