/**
 * The `fields` parameter: the fields that an answer shows of each record. Names are separated by commas; `__` or `.`
 * reaches into nested records, and into each item of a list. Inside documents and maps any name is accepted.
 */
import { type TSchema, Type } from '@sinclair/typebox';
import { nearestOf } from '../../domain/near-names.ts';
import type { QueryPart, ReadContext } from './parameters.ts';

export const FIELDS = 'fields';

// limit: fields that one request names.
const FIELDS_MAX = 200;
// limit: characters of a name in a refusal, which goes back to the client.
const SHOWN_CHARS_MAX = 50;

/** The shown fields, each with the selection inside it; an empty selection shows everything. */
export class Selection {
  readonly #inner = new Map<string, Selection>();
  #isWhole = false;

  add([first, ...rest]: readonly string[]): void {
    if (first === undefined) this.#isWhole = true;
    else {
      const inner = this.#inner.get(first) ?? new Selection();
      this.#inner.set(first, inner);
      inner.add(rest);
    }
  }

  /** Whether any field at or below the path is shown. */
  shows([first, ...rest]: readonly string[]): boolean {
    if (this.#isWhole || first === undefined) return true;
    return this.#inner.get(first)?.shows(rest) ?? false;
  }

  /** The shown fields inside `name`; undefined: all. */
  namesIn(name: string): ReadonlySet<string> | undefined {
    const inner = this.#inner.get(name);
    return inner === undefined || inner.#isWhole ? undefined : new Set(inner.#inner.keys());
  }

  picked(value: unknown): unknown {
    if (this.#isWhole || typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map((item) => this.picked(item));
    const shown = Object.entries(value).flatMap(([name, field]) => {
      const inner = this.#inner.get(name);
      return inner === undefined ? [] : [[name, inner.picked(field)] as const];
    });
    return Object.fromEntries(shown);
  }
}

/** The reply with the fields that its query selects. */
export function selected<R extends { readonly body: unknown }>(
  reply: R,
  query: Readonly<Record<string, unknown>>,
): R {
  const selection = query[FIELDS];
  return selection instanceof Selection ? { ...reply, body: selection.picked(reply.body) } : reply;
}

/** The field with the records of a page, and its other fields. */
const PAGE = { records: 'results', beside: ['count', 'next', 'previous'] } as const;

/** The fields of each record on a page that are shown, in part at least; undefined: all. Others need not be read. */
export function shownOfPage(selection: Selection | undefined): ReadonlySet<string> | undefined {
  return selection?.namesIn(PAGE.records);
}

/** The query part for answers that are such a record, or a page of them. */
export function fieldsOf(record: TSchema, isPage = false): QueryPart<Selection | undefined> {
  return {
    document: (name) => [
      {
        name,
        description:
          'Fields to show, separated by commas; `__` or `.` reaches into nested records. Default: all.',
        schema: Type.String(),
      },
    ],
    read(name, context) {
      const given = context.query
        .all(name)
        .flatMap((text) => text.split(','))
        .map((text) => text.trim());
      const named = [...new Set(given)].filter((text) => text !== '');
      if (named.length === 0) return undefined;
      if (named.length > FIELDS_MAX) {
        context.issues.error('TOO_MANY_VALUES', name, `at most ${FIELDS_MAX} fields`);
        return undefined;
      }
      const selection = new Selection();
      if (isPage) for (const field of PAGE.beside) selection.add([field]);
      for (const text of named) {
        const steps = text.split(/__|\./);
        if (isKnown(record, text, steps, name, context))
          selection.add(isPage ? [PAGE.records, ...steps] : steps);
      }
      return selection;
    },
  };
}

function isKnown(
  record: TSchema,
  text: string,
  steps: readonly string[],
  parameter: string,
  { issues }: ReadContext,
): boolean {
  let schema: TSchema | undefined = record;
  for (const step of steps) {
    const level: Level = schema === undefined ? ANYTHING : levelOf(schema);
    const inner: TSchema | undefined = level.fields?.get(step);
    if (step === '' || (inner === undefined && level.others === undefined)) {
      if (issues.isFullOfErrors) issues.countErrors(1);
      else {
        const shown = text.length > SHOWN_CHARS_MAX ? `${text.slice(0, SHOWN_CHARS_MAX)}…` : text;
        const instead = nearestOf(step, [...(level.fields?.keys() ?? [])]);
        issues.error('NOT_ALLOWED', parameter, `'${shown}' is not a field of this record${instead}`);
      }
      return false;
    }
    schema = inner ?? (level.others === 'any' ? undefined : level.others);
  }
  return true;
}

interface Level {
  readonly fields: ReadonlyMap<string, TSchema> | undefined;
  /** The schema of fields with other names; absent: there are none. */
  readonly others: TSchema | 'any' | undefined;
}

const ANYTHING: Level = { fields: undefined, others: 'any' };

/** The fields inside: of a record, of a record or null, or of each item of a list. */
function levelOf(schema: TSchema): Level {
  const items = schema.items as TSchema | undefined;
  if (items !== undefined) return levelOf(items);
  const alternatives = schema.anyOf as readonly TSchema[] | undefined;
  if (alternatives !== undefined) return joined(alternatives.map(levelOf));
  const properties = Object.entries((schema.properties ?? {}) as Record<string, TSchema>);
  const [mapped] = Object.values((schema.patternProperties ?? {}) as Record<string, TSchema>);
  const rest =
    typeof schema.additionalProperties === 'object' ? (schema.additionalProperties as TSchema) : mapped;
  const isOpen = properties.length === 0 && (schema.type === 'object' || schema.type === undefined);
  const isScalar = schema.enum !== undefined || schema.const !== undefined;
  return { fields: new Map(properties), others: rest ?? (isOpen && !isScalar ? 'any' : undefined) };
}

function joined(levels: readonly Level[]): Level {
  const fields = new Map(levels.flatMap((level) => [...(level.fields ?? [])]));
  return { fields, others: levels.find(({ others }) => others !== undefined)?.others };
}
