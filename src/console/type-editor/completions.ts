/** Completions from the service's schemas, and from the names of existing types. */
import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete';
import { placeAt } from './places.ts';
import { namesFor, type Schema, type Schemas, type Suggestion, schemasAt, valuesFor } from './schema.ts';

export interface Known {
  readonly schemas: Schemas;
  /** The schema of the whole document. */
  readonly root: Schema;
  /** Values by the name of the member, such as `job_type_name`. */
  readonly values: Readonly<Record<string, readonly string[]>>;
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
    const last = place.steps.at(-1);
    const named = typeof last === 'string' && !place.isName ? (found.values[last] ?? []) : [];
    const options: readonly Completion[] = place.isName
      ? namesFor(
          schemas,
          place.names.filter((name) => !isTyped(context, place.range, name)),
        ).map(nameOption)
      : [...named.map((name) => ({ label: JSON.stringify(name) })), ...valuesFor(schemas).map(valueOption)];
    const typed = context.state.sliceDoc(place.range.from, context.pos).replace(/^"/, '').toLowerCase();
    const matching = options.filter(({ label }) => label.toLowerCase().includes(typed));
    // Without the editor's own filter, which would also compare the closing quote after the cursor.
    return matching.length === 0 ? null : { ...place.range, options: matching, filter: false };
  };

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

function valueOption(one: Suggestion): Completion {
  return { label: one.text, type: 'constant', ...info(one) };
}
