/** Maps the paths that the service names to positions in a JSON text, and back. */
import { syntaxTree } from '@codemirror/language';
import type { EditorState } from '@codemirror/state';

type Node = ReturnType<ReturnType<typeof syntaxTree>['resolveInner']>;
export type Step = string | number;

export interface Range {
  readonly from: number;
  readonly to: number;
}

/** `definition.nodes.a[0]["b c"]` as its steps. */
export function stepsOf(path: string): readonly Step[] {
  const steps: Step[] = [];
  for (const [, name, index, quoted] of path.matchAll(/([^.[\]]+)|\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]/g)) {
    if (name !== undefined) steps.push(name);
    else if (index !== undefined) steps.push(Number(index));
    else if (quoted !== undefined) steps.push(String(JSON.parse(quoted)));
  }
  return steps;
}

/** The range of the value at a path, or of the innermost part of the path that the text has. */
export function rangeOf(state: EditorState, path: string): Range {
  let node = syntaxTree(state).topNode.firstChild;
  let found: Range = { from: 0, to: Math.min(1, state.doc.length) };
  for (const step of stepsOf(path)) {
    const next = node === null ? undefined : childOf(state, node, step);
    if (next === undefined) return found;
    node = next.value;
    found = next.range;
  }
  return found;
}

interface Child {
  readonly value: Node | null;
  /** The name of a member, or an item. */
  readonly range: Range;
}

function childOf(state: EditorState, node: Node, step: Step): Child | undefined {
  if (node.name === 'Array') {
    const item = childrenOf(node).filter(isValue)[Number(step)];
    return item === undefined ? undefined : { value: item, range: rangeOfNode(item) };
  }
  const member = node.getChildren('Property').find((one) => nameOf(state, one) === step);
  if (member === undefined) return undefined;
  const name = member.getChild('PropertyName');
  return { value: member.lastChild, range: rangeOfNode(name ?? member) };
}

/** Copies the positions, because they are getters of the node. */
const rangeOfNode = ({ from, to }: Node): Range => ({ from, to });

function childrenOf(node: Node): Node[] {
  const children: Node[] = [];
  for (let child = node.firstChild; child !== null; child = child.nextSibling) children.push(child);
  return children;
}

const isValue = ({ name }: Node): boolean =>
  ['Object', 'Array', 'String', 'Number', 'True', 'False', 'Null'].includes(name);

function nameOf(state: EditorState, member: Node): string | undefined {
  const name = member.getChild('PropertyName');
  return name === null ? undefined : textOf(state.sliceDoc(name.from, name.to));
}

function textOf(quoted: string): string | undefined {
  try {
    return String(JSON.parse(quoted));
  } catch {
    return undefined;
  }
}

/** The place in a document that is being typed. */
export interface Place {
  /** The steps from the whole document to the object of the typed member, or to the typed value. */
  readonly steps: readonly Step[];
  /** Whether the name of a member is typed, not a value. */
  readonly isName: boolean;
  /** The names of the object's members. */
  readonly names: readonly string[];
  /** Beside a value: the members of its object that are texts. */
  readonly texts: Readonly<Record<string, string>>;
  /** The typed text so far, including quotes. */
  readonly range: Range;
}

/** Undefined if nothing can be completed, such as in the middle of a number. */
export function placeAt(state: EditorState, at: number): Place | undefined {
  const node = syntaxTree(state).resolveInner(at, -1);
  const empty = { from: at, to: at };
  if (node.name === 'PropertyName') {
    const object = node.parent?.parent;
    if (object === null || object === undefined) return undefined;
    return { ...objectPlace(state, object), range: { from: node.from, to: node.to } };
  }
  if (node.name === 'String' || node.name === 'True' || node.name === 'False' || node.name === 'Null') {
    return { ...valuePlace(state, node), range: { from: node.from, to: node.to } };
  }
  // After a colon, a value is to be completed; elsewhere in an object, a name.
  const before = state.sliceDoc(Math.max(0, at - 200), at).trimEnd();
  const object = enclosing(node, 'Object');
  if (before.endsWith(':')) {
    const member = enclosing(node, 'Property') ?? lastMember(object, at);
    if (member === undefined) return undefined;
    return { ...valuePlace(state, member), range: empty };
  }
  if (object === undefined || !/[{,]$/.test(before)) return undefined;
  return node.name === 'Array' ? undefined : { ...objectPlace(state, object), range: empty };
}

function objectPlace(state: EditorState, object: Node): Omit<Place, 'range'> {
  const names = object.getChildren('Property').flatMap((member) => nameOf(state, member) ?? []);
  return { steps: stepsTo(state, object), isName: true, names, texts: {} };
}

/** `node`: the value, or its member. */
function valuePlace(state: EditorState, node: Node): Omit<Place, 'range'> {
  const texts = (enclosing(node, 'Object')?.getChildren('Property') ?? []).flatMap((member) => {
    const name = nameOf(state, member);
    const value = member.getChild('String');
    const text = value === null ? undefined : textOf(state.sliceDoc(value.from, value.to));
    return name === undefined || text === undefined ? [] : [[name, text] as const];
  });
  return { steps: stepsTo(state, node), isName: false, names: [], texts: Object.fromEntries(texts) };
}

function enclosing(node: Node, name: string): Node | undefined {
  for (let at: Node | null = node; at !== null; at = at.parent) if (at.name === name) return at;
  return undefined;
}

function lastMember(object: Node | undefined, at: number): Node | undefined {
  return object?.getChildren('Property').findLast(({ from }) => from < at);
}

/** The steps from the whole document to a value or a member. */
function stepsTo(state: EditorState, node: Node): readonly Step[] {
  const steps: Step[] = [];
  for (let at: Node = node; at.parent !== null; at = at.parent) {
    if (at.name === 'Property') steps.unshift(nameOf(state, at) ?? '');
    else if (at.parent.name === 'Array') steps.unshift(indexOf(at));
  }
  return steps;
}

function indexOf(item: Node): number {
  let index = 0;
  for (let before = item.prevSibling; before !== null; before = before.prevSibling)
    if (isValue(before)) index += 1;
  return index;
}
