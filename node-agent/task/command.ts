/**
 * Expands the command of a manifest into arguments: `$NAME`, `${NAME}`, `${NAME/#/PREFIX}`, quotes as in a shell. The
 * template is split before it is expanded, so a value never falls apart; no shell ever sees it.
 */

interface Reference {
  readonly name: string;
  /** Put before the value when there is one. */
  readonly prefix: string;
  readonly end: number;
}

/** One argument while it is read. */
interface Argument {
  text: string;
  /** Something other than an unset name was in it, so it stays even when empty. */
  isKept: boolean;
}

/** The arguments. An unset name is empty, and an argument that is empty only because of it is left out. */
export function expandCommand(command: string, variables: Readonly<Record<string, string>>): string[] {
  const done: Argument[] = [];
  let current: Argument | undefined;
  let quote = '';
  const add = (text: string, isKept: boolean): void => {
    current ??= { text: '', isKept: false };
    current.text += text;
    current.isKept ||= isKept;
  };
  const end = (): void => {
    if (current !== undefined) done.push(current);
    current = undefined;
  };
  for (let index = 0; index < command.length; index += 1) {
    const character = command[index] as string;
    const reference = character === '$' && quote !== "'" ? readReference(command, index) : undefined;
    if (reference !== undefined) {
      addReference(reference, variables, quote === '', add, end);
      index = reference.end;
    } else if (character === quote) quote = '';
    else if (quote === '' && (character === '"' || character === "'")) {
      quote = character;
      add('', true);
    } else if (character === '\\' && quote !== "'" && index + 1 < command.length) {
      index += 1;
      add(command[index] as string, true);
    } else if (quote === '' && /\s/.test(character)) end();
    else add(character, true);
  }
  end();
  return done.filter(({ text, isKept }) => text !== '' || isKept).map(({ text }) => text);
}

function addReference(
  { name, prefix }: Reference,
  variables: Readonly<Record<string, string>>,
  isSplit: boolean,
  add: (text: string, isKept: boolean) => void,
  end: () => void,
): void {
  const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
  if (value === undefined) {
    add('', false);
    return;
  }
  // A prefix such as `-d ` is an argument of its own; the value behind it is never split.
  const pieces = isSplit ? prefix.split(/\s+/) : [prefix];
  for (const [index, piece] of pieces.entries()) {
    if (index > 0) end();
    if (piece !== '') add(piece, true);
  }
  add(value, value !== '');
}

const NAME = /[A-Za-z_][A-Za-z0-9_]*/y;

/** The reference that begins at the `$`, or undefined: then the `$` is a character like any other. */
function readReference(text: string, start: number): Reference | undefined {
  const isBraced = text[start + 1] === '{';
  NAME.lastIndex = start + (isBraced ? 2 : 1);
  const name = NAME.exec(text)?.[0];
  if (name === undefined) return undefined;
  const after = NAME.lastIndex;
  if (!isBraced) return { name, prefix: '', end: after - 1 };
  if (text[after] === '}') return { name, prefix: '', end: after };
  const close = text.indexOf('}', after);
  if (!text.startsWith('/#/', after) || close < 0) return undefined;
  return { name, prefix: text.slice(after + 3, close), end: close };
}
