/** Turns a condition into the contract's filter, whose comparisons have the value on the left. */
import type { JsonObject } from '../../../domain/document/json-value.ts';
import type { FilterCondition } from '../../../domain/filter/filter.ts';
import type { JsonType } from '../../../domain/interface/interface.ts';
import type { Comparison, Condition, Literal, Operator, Reference } from './condition.ts';
import type { Fault } from './condition-tokens.ts';

/** The file or JSON value that a reference names. */
export type Subject =
  | { readonly kind: 'file'; readonly required: boolean; readonly multiple: boolean }
  | { readonly kind: 'json'; readonly required: boolean; readonly type: JsonType };

/** The parameter of a condition, and where it comes from. */
export interface ConditionInput {
  readonly name: string;
  readonly reference: Reference;
  readonly subject: Subject;
}
export interface TranslatedCondition {
  readonly inputs: readonly ConditionInput[];
  readonly interface: JsonObject;
  readonly dataFilter: JsonObject;
}

/** Operators with their sides exchanged: the contract means `VALUE OP DATA`, people write `DATA OP VALUE`. */
const TURNED: Readonly<Partial<Record<Operator, FilterCondition>>> = {
  '<': '>',
  '<=': '>=',
  '>': '<',
  '>=': '<=',
};

const TEXT_OPERATORS: readonly Operator[] = ['==', '!=', 'in', 'not in', 'contains'];
const NUMBER_OPERATORS: readonly Operator[] = ['<', '<=', '>', '>=', '==', '!=', 'between', 'in', 'not in'];
const OPERATORS: Readonly<Record<string, readonly Operator[]>> = {
  integer: NUMBER_OPERATORS,
  number: NUMBER_OPERATORS,
  string: TEXT_OPERATORS,
  filename: TEXT_OPERATORS,
  'media-type': TEXT_OPERATORS,
  boolean: ['==', '!='],
};
const LITERALS: Readonly<Record<string, readonly [type: string, words: string]>> = {
  integer: ['number', 'a number'],
  number: ['number', 'a number'],
  string: ['string', 'a text in quotes'],
  filename: ['string', 'a text in quotes'],
  'media-type': ['string', 'a text in quotes'],
  boolean: ['boolean', 'true or false'],
};

/** Translates a condition; every impossible comparison is reported. */
export function translateCondition(
  condition: Condition,
  subjectOf: (reference: Reference) => Subject | string,
): TranslatedCondition | readonly Fault[] {
  const faults: Fault[] = [];
  const inputs: ConditionInput[] = [];
  const filters: JsonObject[] = [];
  for (const comparison of condition.comparisons) {
    const { reference } = comparison;
    const subject = subjectOf(reference);
    if (typeof subject === 'string') {
      faults.push({ offset: reference.offset, message: subject });
      continue;
    }
    const type = filterType(reference, subject);
    const fault =
      type.message === undefined
        ? comparisonFault(comparison, type.type)
        : { ...type, offset: reference.offset };
    if (fault !== undefined) {
      faults.push({ offset: fault.offset, message: fault.message });
      continue;
    }
    const input = inputOf(inputs, reference, subject);
    filters.push({ name: input.name, type: type.type, ...filterTest(comparison) });
  }
  if (faults.length > 0) return faults;
  const dataFilter = condition.isAll ? { filters } : { filters, all: false };
  return { inputs, interface: interfaceOf(inputs), dataFilter };
}

function filterType(
  { node, name, aspect }: Reference,
  subject: Subject,
): { readonly type: string; readonly message?: undefined } | { readonly type: ''; readonly message: string } {
  const text = `'${node ?? 'in'}.${name}'`;
  if (subject.kind === 'file') {
    if (aspect === 'meta') return { type: 'meta-data' };
    if (aspect === 'media_type') return { type: 'media-type' };
    if (aspect === 'name') return { type: 'filename' };
    const instead =
      node === undefined
        ? `: compare its .name, .media_type or .meta.KEY`
        : `: only JSON outputs of nodes can be compared`;
    return { type: '', message: `${text} is a file${instead}` };
  }
  if (aspect !== 'value') return { type: '', message: `${text} is a JSON value, which has no '.${aspect}'` };
  if (subject.type !== 'object' && subject.type !== 'array') return { type: subject.type };
  return { type: '', message: `${text} is of type '${subject.type}', which cannot be compared` };
}

function comparisonFault(
  { operator, operatorOffset, values, offsets }: Comparison,
  type: string,
): Fault | undefined {
  const operators = OPERATORS[type];
  if (operators !== undefined && !operators.includes(operator)) {
    return {
      offset: operatorOffset,
      message: `'${operator}' does not fit type '${type}', which takes ${operators.join(', ')}`,
    };
  }
  const [literal, words] = LITERALS[type] ?? [undefined, ''];
  const wrong = values.findIndex((value) => literal !== undefined && typeof value !== literal);
  if (wrong !== -1)
    return { offset: offsets[wrong] ?? 0, message: `a value of type '${type}' is compared with ${words}` };
  const [low, high] = values as readonly [Literal, Literal];
  if (operator !== 'between') return undefined;
  if (typeof low !== typeof high)
    return { offset: offsets[1] ?? 0, message: 'both limits must be of one type' };
  return low > high ? { offset: offsets[0] ?? 0, message: 'the lower limit comes first' } : undefined;
}

function filterTest({ reference, operator, values }: Comparison): JsonObject {
  const condition = TURNED[operator] ?? operator;
  if (reference.aspect !== 'meta') return { condition, values };
  return { condition, values: [values], fields: [reference.keys] };
}

/** The condition has one input for each source, however often the source is compared. */
function inputOf(inputs: ConditionInput[], reference: Reference, subject: Subject): ConditionInput {
  const known = inputs.find(
    ({ reference: one }) => one.node === reference.node && one.name === reference.name,
  );
  if (known !== undefined) return known;
  const taken = new Set(inputs.map(({ name }) => name));
  const made = { name: freeName(reference, taken), reference, subject };
  inputs.push(made);
  return made;
}

/** Parameters of conditions have no digits in their names: `count-WORDS`, and `count-WORDS-b` for a second one. */
function freeName({ node, name }: Reference, taken: ReadonlySet<string>): string {
  const stem = `${node ?? 'in'}-${name}`.replace(/[^A-Za-z_-]/g, '');
  if (!taken.has(stem)) return stem;
  for (let index = 1; ; index += 1) {
    const candidate = `${stem}-${letters(index)}`;
    if (!taken.has(candidate)) return candidate;
  }
}

/** 1 -> b, 25 -> z, 26 -> ba. */
function letters(number: number): string {
  const rest = Math.floor(number / 26);
  const letter = String.fromCharCode(97 + (number % 26));
  return rest === 0 ? letter : `${letters(rest)}${letter}`;
}

function interfaceOf(inputs: readonly ConditionInput[]): JsonObject {
  const optional = (required: boolean): JsonObject => (required ? {} : { required });
  const files = inputs.flatMap(({ name, subject }) => {
    if (subject.kind !== 'file') return [];
    return [{ name, ...optional(subject.required), ...(subject.multiple ? { multiple: true } : {}) }];
  });
  const json = inputs.flatMap(({ name, subject }) => {
    return subject.kind === 'json' ? [{ name, type: subject.type, ...optional(subject.required) }] : [];
  });
  return { ...(files.length === 0 ? {} : { files }), ...(json.length === 0 ? {} : { json }) };
}
