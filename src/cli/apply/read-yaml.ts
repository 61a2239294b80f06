/**
 * Reads YAML 1.2 and JSON with the position of each value. The work is bounded whatever the file contains, and wrong
 * content gives findings, never an exception. The only file that parses YAML.
 */
import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type ParsedNode,
  parseAllDocuments,
  type Range,
  type Scalar,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import { textProblem } from '../../domain/document/json-value.ts';
import { type Style, sourceOffset } from './scalar-position.ts';
import type { Entry, Findings, Located, LocatedScalar, Position } from './source.ts';

/** limit: bytes of a file. Parsing that many takes about 3 s. */
export const FILE_BYTES_MAX = 4 * 1_024 * 1_024;
/** limit: values of a file, including those that aliases repeat. */
const VALUES_MAX = 100_000;
/** limit: levels of a file. A body with the section and list around it needs fewer. */
const DEPTH_MAX = 68;
/** limit: reported syntax problems. Those after the first are often consequences of it. */
const SYNTAX_PROBLEMS_MAX = 3;

const STYLES: Readonly<Record<string, Style>> = {
  PLAIN: 'plain',
  QUOTE_SINGLE: 'single',
  QUOTE_DOUBLE: 'double',
  BLOCK_LITERAL: 'literal',
};

/** The documents of a file in their order; empty ones are left out. None where the syntax is wrong. */
export function readYaml(file: string, bytes: Uint8Array, findings: Findings): readonly Located[] {
  const first = { line: 1, column: 1 };
  if (bytes.length > FILE_BYTES_MAX) {
    findings.error(file, first, `the file has more than ${FILE_BYTES_MAX / 1_024 / 1_024} MiB`);
    return [];
  }
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    findings.error(file, first, 'the file is not UTF-8');
    return [];
  }
  const nul = text.indexOf('\0');
  if (nul !== -1) {
    findings.error(file, placeOf(text, nul), 'the file contains a NUL character');
    return [];
  }
  return new YamlReader(file, text, findings).read();
}

function placeOf(text: string, offset: number): Position {
  const before = text.slice(0, offset);
  return { line: before.split('\n').length, column: offset - before.lastIndexOf('\n') };
}

class TooMuch extends Error {}

class YamlReader {
  readonly #file: string;
  readonly #text: string;
  readonly #findings: Findings;
  readonly #lines = new LineCounter();
  #anchors = new Map<string, ParsedNode>();
  #valueCount = 0;
  /** Aliases that are being followed: an anchor may contain its own alias. */
  readonly #open = new Set<ParsedNode>();

  constructor(file: string, text: string, findings: Findings) {
    this.#file = file;
    this.#text = text;
    this.#findings = findings;
  }

  read(): readonly Located[] {
    const documents = this.#parse();
    if (documents === undefined) return [];
    try {
      return documents.flatMap((document) => {
        this.#anchors = new Map();
        const { contents } = document;
        const isEmpty = contents === null || (isScalar(contents) && contents.value === null);
        return isEmpty ? [] : [this.#node(contents, 0)];
      });
    } catch (error) {
      if (!(error instanceof TooMuch)) throw error;
      return [];
    }
  }

  #parse(): readonly Document.Parsed[] | undefined {
    let parsed: readonly Document.Parsed[];
    try {
      // Duplicate keys are found below: the parser would compare each key with all before it.
      const options = { lineCounter: this.#lines, uniqueKeys: false, prettyErrors: false, merge: false };
      const found = parseAllDocuments(this.#text, { ...options, version: '1.2', schema: 'core' });
      parsed = 'empty' in found ? [] : found;
    } catch {
      this.#findings.error(this.#file, { line: 1, column: 1 }, 'the file cannot be parsed as YAML');
      return undefined;
    }
    let [isWrong, count] = [false, 0];
    for (const { errors, warnings, directives } of parsed) {
      for (const { message, pos } of [...errors, ...warnings]) {
        isWrong = true;
        count += 1;
        if (count <= SYNTAX_PROBLEMS_MAX) this.#error(pos[0], sentence(message));
      }
      if (directives.yaml.version === '1.2') continue;
      isWrong = true;
      this.#error(0, 'the file must be YAML 1.2: take the %YAML directive out');
    }
    return isWrong ? undefined : parsed;
  }

  #at(offset: number): Position {
    const { line, col } = this.#lines.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  }

  #error(offset: number, message: string): void {
    this.#findings.error(this.#file, this.#at(offset), message);
  }

  #stop(offset: number, message: string): never {
    this.#error(offset, message);
    throw new TooMuch(message);
  }

  /** The recursion is as deep as the file may nest. */
  #node(node: ParsedNode, depth: number): Located {
    const start = node.range[0];
    this.#valueCount += 1;
    if (this.#valueCount > VALUES_MAX) {
      this.#stop(start, `the file has more than ${VALUES_MAX} values, those that aliases repeat included`);
    }
    if (depth > DEPTH_MAX) this.#stop(start, `the file is nested deeper than ${DEPTH_MAX} levels`);
    if (isAlias(node)) return this.#alias(node, depth);
    // An anchor is known from its own position on, also inside its own value.
    if (node.anchor !== undefined && this.#open.size === 0) this.#anchors.set(node.anchor, node);
    if (node.tag !== undefined) this.#error(start, 'tags (!…) are not accepted');
    if (isMap(node)) return this.#map(node, depth);
    if (isSeq(node)) return this.#list(node, depth);
    return this.#scalar(node);
  }

  #alias(node: Alias.Parsed, depth: number): Located {
    const target = this.#anchors.get(node.source);
    if (target === undefined) this.#stop(node.range[0], `there is no anchor '&${node.source}' before it`);
    if (this.#open.has(target)) this.#stop(node.range[0], `'*${node.source}' is inside its own anchor`);
    this.#open.add(target);
    const value = this.#node(target, depth);
    this.#open.delete(target);
    return value;
  }

  #map(node: YAMLMap.Parsed, depth: number): Located {
    const entries = new Map<string, Entry>();
    for (const { key, value } of node.items) {
      const keyStart = key?.range[0] ?? node.range[0];
      const name = keyName(key);
      if (name === undefined) {
        this.#error(keyStart, 'a key must be a text');
        continue;
      }
      const problem = this.#keyProblem(name, entries.get(name));
      if (problem !== undefined) this.#error(keyStart, problem);
      const located = value === null ? this.#nothing(keyStart) : this.#node(value, depth + 1);
      if (problem === undefined) entries.set(name, { key: name, keyAt: this.#at(keyStart), value: located });
    }
    return { kind: 'map', at: this.#at(node.range[0]), entries: [...entries.values()] };
  }

  #keyProblem(name: string, known: Entry | undefined): string | undefined {
    if (known !== undefined) return `'${name}' is given twice, first in line ${known.keyAt.line}`;
    if (name === '__proto__') return `'__proto__' cannot be a key`;
    if (name === '<<')
      return `'<<' (merge) is not accepted: repeat the fields, or use an alias for a whole value`;
    const problem = textProblem(name);
    return problem === undefined ? undefined : `the key ${problem}`;
  }

  #list(node: YAMLSeq.Parsed, depth: number): Located {
    const items = node.items.map((item) => this.#node(item, depth + 1));
    return { kind: 'list', at: this.#at(node.range[0]), items };
  }

  #scalar(node: Scalar.Parsed): LocatedScalar {
    const at = this.#at(node.range[0]);
    const value = node.value as unknown;
    const problem = scalarProblem(value);
    if (problem !== undefined) this.#error(node.range[0], `the value ${problem}`);
    const isUsable = problem === undefined && !(value instanceof Uint8Array);
    return {
      kind: 'scalar',
      at,
      value: isUsable ? (value as LocatedScalar['value']) : null,
      inside: (offset) => this.#at(this.#inside(node.range, STYLES[node.type ?? ''] ?? 'other', offset)),
    };
  }

  #inside([start, end]: Range, style: Style, offset: number): number {
    return sourceOffset(this.#text, { start, end }, style, offset);
  }

  #nothing(offset: number): LocatedScalar {
    const at = this.#at(offset);
    return { kind: 'scalar', at, value: null, inside: () => at };
  }
}

function keyName(key: ParsedNode | null): string | undefined {
  if (!isScalar(key) || key.value === null) return undefined;
  return typeof key.value === 'object' ? undefined : String(key.value);
}

function scalarProblem(value: unknown): string | undefined {
  if (typeof value === 'string') return textProblem(value);
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) return 'is not a finite number';
    if (Number.isInteger(value) && !Number.isSafeInteger(value))
      return 'is a larger integer than JSON can hold';
  }
  return typeof value === 'bigint' ? 'is a larger integer than JSON can hold' : undefined;
}

/** The parser's message without a final colon. With a deeply nested file the parser runs out of stack. */
function sentence(message: string): string {
  if (message.includes('call stack')) return `the file is nested deeper than ${DEPTH_MAX} levels`;
  const [line = ''] = message.split('\n');
  return `not valid YAML: ${line.slice(0, 200).replace(/:$/, '')}`;
}
