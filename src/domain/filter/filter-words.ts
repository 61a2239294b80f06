/**
 * Explains filters in words: `passes when 100 > WORDS`. The filter's value is on the left (`filter-evaluate.ts`), the
 * opposite of what most people expect.
 */
import { type Json, shortened } from '../document/json-value.ts';
import { type Filter, type FilterCondition, numberOf } from './filter.ts';

/** limit: values and paths of one filter that are shown. */
const SHOWN_MAX = 3;

/** Written as they are, with the first value on the left. */
const SIGNS: ReadonlySet<FilterCondition> = new Set(['<', '<=', '>', '>=', '==', '!=']);

const FILE_TESTS: ReadonlySet<Filter['type']> = new Set(['filename', 'media-type', 'data-type', 'meta-data']);

/** What is on the left of `<`, `==` and the like: the filter's value, as the contract means it, or the compared one. */
type Left = 'value' | 'subject';

/** A sentence about one filter of a document. */
export function filterSentence(filter: Filter): string {
  return `passes when ${sentenceOf(filter, 'value')}`;
}

/** The test as people read it, with the recipe's value on the left: `count.WORDS > 100`. `name`: that of the value. */
export function readableFilter(filter: Filter, name: string): string {
  const isOfMetaData = filter.type === 'meta-data' && filter.fields !== undefined;
  return sentenceOf({ ...filter, name: isOfMetaData ? `${name}.meta` : name }, 'subject');
}

function sentenceOf(filter: Filter, left: Left): string {
  const { name, type, condition, values } = filter;
  if ((type === 'object' || type === 'meta-data') && filter.fields !== undefined)
    return pathsSentence(filter, left);
  const isNumber = type === 'integer' || type === 'number';
  const operands = isNumber ? values.map((value) => numberOf(value) ?? value) : values;
  const test = (subject: string) => comparison(condition, operands, subject, left);
  switch (type) {
    case 'filename':
      return filesSentence(filter, test(`the name of ${name}`));
    case 'media-type':
      return filesSentence(filter, test(`the media type of ${name}`));
    case 'data-type': {
      const isNegated = condition === '!=' || condition === 'not in';
      return filesSentence(filter, test(`${isNegated ? 'each' : 'any'} label of ${name}`));
    }
    case 'meta-data':
      return filesSentence(filter, test(`the meta-data of ${name}`));
    default:
      return test(name);
  }
}

/** The comparison after its two sides are exchanged. */
const EXCHANGED: Partial<Readonly<Record<FilterCondition, string>>> = {
  '<': '>',
  '<=': '>=',
  '>': '<',
  '>=': '<=',
};

/**
 * The test with the compared value, as JSON text, in place of the parameter: `100 < 5644`. Undefined for tests of files
 * and of paths into objects, which have more than one value.
 */
export function filterWithValue(filter: Filter, value: string): string | undefined {
  const { type, condition, values, fields } = filter;
  if (fields !== undefined || FILE_TESTS.has(type)) return undefined;
  const isNumber = type === 'integer' || type === 'number';
  const operands = isNumber ? values.map((one) => numberOf(one) ?? one) : values;
  return comparison(condition, operands, shortened(value), 'value');
}

function filesSentence({ all_files: isAll }: Filter, condition: string): string {
  return `${condition}, for ${isAll ? 'every file' : 'at least one file'}`;
}

function pathsSentence(filter: Filter, left: Left): string {
  const { name, type, condition, fields = [], all_fields: isAll } = filter;
  const sentences = fields.slice(0, SHOWN_MAX).map((path, index) => {
    const values = filter.values[index];
    const subject = shortened([name, ...path].join('.'));
    return comparison(condition, Array.isArray(values) ? values : [], subject, left);
  });
  const more = fields.length - sentences.length;
  const all = [...sentences, ...(more > 0 ? [`${more} more such`] : [])].join(isAll ? ' and ' : ' or ');
  return type === 'meta-data' ? filesSentence(filter, all) : all;
}

/** The condition between values and `subject`, as in `passes` of the evaluation. */
function comparison(
  condition: FilterCondition,
  values: readonly Json[],
  subject: string,
  left: Left,
): string {
  const [first = null, second = null] = values;
  if (SIGNS.has(condition)) {
    return left === 'value'
      ? `${shown(first)} ${condition} ${subject}`
      : `${subject} ${EXCHANGED[condition] ?? condition} ${shown(first)}`;
  }
  switch (condition) {
    case 'between':
      return `${shown(first)} <= ${subject} <= ${shown(second)}`;
    case 'in':
      return `${subject} is ${listed(values)}`;
    case 'not in':
      return `${subject} is not ${listed(values)}`;
    case 'contains':
      return `${subject} contains ${listed(values)}`;
    case 'subset of':
      return `every item of ${subject} is in ${shown(first)}`;
    default:
      return `every item of ${shown(first)} is in ${subject}`;
  }
}

function listed(values: readonly Json[]): string {
  const texts = values.slice(0, SHOWN_MAX).map(shown);
  const more = values.length - texts.length;
  return [...texts, ...(more > 0 ? [`one of ${more} more`] : [])].join(' or ');
}

function shown(value: Json): string {
  return shortened(JSON.stringify(value));
}
