/**
 * The language of `when`: comparisons joined only by `and` or only by `or`. A comparison is `REF OP LITERAL`:
 * `count.WORDS > 100` accepts 101.
 */
import { type Fault, type Token, tokensOf } from './condition-tokens.ts';

export type Literal = string | number | boolean;
export type Operator = '<' | '<=' | '>' | '>=' | '==' | '!=' | 'in' | 'not in' | 'contains' | 'between';

/** `node.OUTPUT` or `in.NAME`, for a file with the compared property. */
export interface Reference {
  /** Undefined: the recipe's input. */
  readonly node: string | undefined;
  readonly name: string;
  readonly aspect: 'value' | 'name' | 'media_type' | 'meta';
  /** With `meta`: the keys that lead to the value. */
  readonly keys: readonly string[];
  readonly offset: number;
}
export interface Comparison {
  readonly reference: Reference;
  readonly operator: Operator;
  readonly operatorOffset: number;
  readonly values: readonly Literal[];
  /** The offset of each value. */
  readonly offsets: readonly number[];
}
export interface Condition {
  /** At least one. */
  readonly comparisons: readonly Comparison[];
  /** Joined by `and` instead of `or`; of no importance with one comparison. */
  readonly isAll: boolean;
}

/** limit: comparisons of one condition. */
const COMPARISONS_MAX = 100;

const A_REFERENCE = `a comparison begins with 'node.OUTPUT' or 'in.NAME', as in 'count.WORDS > 100'`;
const AN_OPERATOR = 'expected here: <, <=, >, >=, ==, !=, in, not in, contains or between';
const A_LITERAL = 'expected here: a number, a text in quotes, true or false';
const SIGNS: ReadonlySet<string> = new Set(['<', '<=', '>', '>=', '==', '!=']);

/** Parses a condition, or returns its first fault with the offset. Never throws. */
export function parseCondition(text: string): Condition | Fault {
  const tokens = tokensOf(text);
  if ('message' in tokens) return tokens;
  try {
    return new Parser(tokens).condition();
  } catch (error) {
    if (error instanceof Refusal) return error.fault;
    throw error;
  }
}

class Refusal extends Error {
  readonly fault: Fault;

  constructor(fault: Fault) {
    super(fault.message);
    this.fault = fault;
  }
}

class Parser {
  readonly #tokens: readonly Token[];
  #index = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  condition(): Condition {
    const comparisons = [this.#comparison()];
    let joiner: string | undefined;
    while (this.#token.kind !== 'end') {
      const { offset } = this.#token;
      const word = this.#word('and') ?? this.#word('or');
      if (word === undefined) this.#refuse(`'and', 'or' or the end is expected here`);
      joiner ??= word;
      if (joiner !== word) {
        const message = `'and' and 'or' cannot be mixed: make two conditions`;
        throw new Refusal({ offset, message });
      }
      if (comparisons.length === COMPARISONS_MAX) {
        this.#refuse(`a condition has at most ${COMPARISONS_MAX} comparisons`);
      }
      comparisons.push(this.#comparison());
    }
    return { comparisons, isAll: joiner !== 'or' };
  }

  get #token(): Token {
    return this.#tokens[this.#index] as Token;
  }

  /** The word, if it is the next token. */
  #word(text: string): string | undefined {
    const token = this.#token;
    if (token.kind !== 'word' || token.text !== text) return undefined;
    this.#index += 1;
    return text;
  }

  #sign(text: string): boolean {
    const token = this.#token;
    const isNext = token.kind === 'sign' && token.text === text;
    if (isNext) this.#index += 1;
    return isNext;
  }

  #refuse(message: string): never {
    throw new Refusal({ offset: this.#token.offset, message });
  }

  #comparison(): Comparison {
    const reference = this.#reference();
    const { offset: operatorOffset } = this.#token;
    const operator = this.#operator();
    const [values, offsets] = this.#values(operator);
    return { reference, operator, operatorOffset, values, offsets };
  }

  #reference(): Reference {
    const token = this.#token;
    if (token.kind !== 'reference') this.#refuse(A_REFERENCE);
    const [node = '', name = '', aspect, ...keys] = token.steps;
    const { offset } = token;
    const isInput = node === 'in';
    if (aspect !== undefined && !isInput) {
      this.#refuse(`a reference to a node is 'node.OUTPUT' and nothing more: '${node}.${name}'`);
    }
    const isKnown = aspect === undefined || ['name', 'media_type', 'meta'].includes(aspect);
    const isWhole = aspect === 'meta' ? keys.length > 0 : keys.length === 0;
    if (!isKnown || !isWhole) {
      this.#refuse(`after 'in.${name}' may come '.name', '.media_type' or '.meta.KEY', and nothing else`);
    }
    this.#index += 1;
    const known = (aspect ?? 'value') as Reference['aspect'];
    return { node: isInput ? undefined : node, name, aspect: known, keys, offset };
  }

  #operator(): Operator {
    const token = this.#token;
    if (token.kind === 'sign' && SIGNS.has(token.text)) {
      this.#index += 1;
      return token.text as Operator;
    }
    for (const word of ['in', 'contains', 'between'] as const) {
      if (this.#word(word) !== undefined) return word;
    }
    if (this.#word('not') !== undefined) {
      if (this.#word('in') === undefined) this.#refuse(`'in' is expected after 'not'`);
      return 'not in';
    }
    this.#refuse(AN_OPERATOR);
  }

  #values(operator: Operator): readonly [values: readonly Literal[], offsets: readonly number[]] {
    if (operator === 'between') {
      const [low, lowOffset] = this.#literal();
      if (this.#word('and') === undefined)
        this.#refuse(`'and' and the upper limit are expected after 'between'`);
      const [high, highOffset] = this.#literal();
      return [
        [low, high],
        [lowOffset, highOffset],
      ];
    }
    const mayBeList = operator === 'in' || operator === 'not in' || operator === 'contains';
    const { offset } = this.#token;
    if (!this.#sign('[')) {
      if (operator === 'in' || operator === 'not in') {
        this.#refuse(`a list is expected here, such as ['a', 'b']`);
      }
      const [value, at] = this.#literal();
      return [[value], [at]];
    }
    if (!mayBeList) throw new Refusal({ offset, message: `'${operator}' takes one value, not a list` });
    return this.#list();
  }

  #list(): readonly [values: readonly Literal[], offsets: readonly number[]] {
    const [values, offsets]: [Literal[], number[]] = [[], []];
    while (true) {
      const [value, offset] = this.#literal();
      values.push(value);
      offsets.push(offset);
      if (this.#sign(']')) return [values, offsets];
      if (!this.#sign(',')) this.#refuse(`',' or ']' is expected here`);
    }
  }

  #literal(): readonly [value: Literal, offset: number] {
    const token = this.#token;
    if (token.kind === 'literal') {
      this.#index += 1;
      return [token.value, token.offset];
    }
    if (token.kind === 'reference') this.#refuse('only a literal may stand on the right, not a reference');
    if (token.kind === 'word') this.#refuse(`${A_LITERAL}; a text needs quotes: '${token.text}'`);
    this.#refuse(A_LITERAL);
  }
}
