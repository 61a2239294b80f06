/** Completions from the service's schemas, and from what the service finds of existing types. */
import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete';
import type { FoundChoices } from '../choices/object-choice.tsx';
import { type Place, placeAt } from './places.ts';
import { namesFor, type Schema, type Schemas, type Suggestion, schemasAt, valuesFor } from './schema.ts';

/** What a value may be, by the members beside it that are texts. `typed`: a part of it. */
export type FindValues = (
  typed: string,
  beside: Readonly<Record<string, string>>,
  signal: AbortSignal,
) => Promise<FoundChoices['choices']>;

export interface Known {
  readonly schemas: Schemas;
  /** The schema of the whole document. */
  readonly root: Schema;
  /** By the name of the member, such as `job_type_name`. */
  readonly values: Readonly<Record<string, FindValues>>;
}

/** `known` is called at the first completion. */
export const completer =
  (known: () => Promise<Known>) =>
  async (context: CompletionContext): Promise<CompletionResult | null> => {
    const place = placeAt(context.state, context.pos);
    if (place === undefined) return null;
    if (place.range.from === place.range.to && !context.explicit) return null;
    const found = await known();
    const schemas = schemasAt(found.schemas, found.root, place.steps);
    const typed = context.state.sliceDoc(place.range.from, context.pos).replace(/^"/, '');
    const last = place.steps.at(-1);
    const find = typeof last === 'string' && !place.isName ? found.values[last] : undefined;
    const objects = find === undefined ? [] : await searched(context, find, place, typed);
    const options: readonly Completion[] = place.isName
      ? namesFor(
          schemas,
          place.names.filter((name) => !isTyped(context, place.range, name)),
        ).map(nameOption)
      : valuesFor(schemas).map(valueOption);
    const matching = options.filter(({ label }) => label.toLowerCase().includes(typed.toLowerCase()));
    const all = [...objects.map(objectOption), ...matching];
    // Without the editor's own filter, which would also compare the closing quote after the cursor.
    return all.length === 0 ? null : { ...place.range, options: all, filter: false };
  };

/** Nothing if the text has changed meanwhile: the editor asks again. */
async function searched(
  context: CompletionContext,
  find: FindValues,
  { texts }: Place,
  typed: string,
): Promise<FoundChoices['choices']> {
  const abort = new AbortController();
  context.addEventListener('abort', () => abort.abort(), { onDocChange: true });
  try {
    return await find(typed, texts, abort.signal);
  } catch (error) {
    if (context.aborted) return [];
    throw error;
  }
}

interface Range {
  readonly from: number;
  readonly to: number;
}

/** Whether a name is the one that is being typed: it is in the document already, but is not taken. */
function isTyped({ state }: CompletionContext, { from, to }: Range, name: string): boolean {
  return state.sliceDoc(from, to) === JSON.stringify(name);
}

const info = ({ info }: Suggestion) => (info === undefined ? {} : { info });

function nameOption(one: Suggestion): Completion {
  const label = JSON.stringify(one.text);
  return { label, detail: one.detail, type: 'property', ...info(one), apply: `${label}: ` };
}

/** With its title, where it has one. */
function objectOption([value, text]: FoundChoices['choices'][number]): Completion {
  return { label: JSON.stringify(value), ...(text === value ? {} : { detail: text }) };
}

function valueOption(one: Suggestion): Completion {
  return { label: one.text, type: 'constant', ...info(one) };
}
