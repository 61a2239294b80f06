/** The fields of the inputs of a job type or a recipe type: a recorded file for each, and values. */
import { useQueries, useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import type { components } from '../../client/operations.ts';
import { bytes } from '../format/amounts.ts';
import { Field, problemAt } from '../parts/form.tsx';
import { type KnownFile, knownFile, newestSources } from './queries.ts';

type Json = NonNullable<NonNullable<components['schemas']['SeedInterface']['inputs']>['json']>[number];

export interface FileInput {
  readonly name: string;
  readonly required?: boolean | null | undefined;
  readonly mediaTypes?: readonly string[] | null | undefined;
}

export type JsonInput = Pick<Json, 'name' | 'type' | 'required'>;

interface Inputs {
  readonly files: readonly FileInput[];
  readonly json: readonly JsonInput[];
}

type Texts = Readonly<Record<string, string>>;

/** What is typed, and the input that it makes: undefined while something is missing or wrong. */
export function useInput({ files, json }: Inputs) {
  const [texts, setTexts] = useState<Texts>({});
  const chosen = useChosenFiles(files, texts);
  const values = json.map((input) => ({ input, read: readValue(input, texts[input.name] ?? '') }));
  const isComplete =
    files.every(({ name, required }) => required === false || chosen.has(name)) &&
    [...chosen.values()].every((file) => file !== undefined && file !== null) &&
    values.every(({ read }) => read !== undefined);
  const given = {
    files: Object.fromEntries([...chosen].map(([name, file]) => [name, file ? [file.id] : []])),
    json: Object.assign({}, ...values.map(({ read }) => read)),
  };
  const set = (name: string, text: string) => setTexts((old) => ({ ...old, [name]: text }));
  return { texts, set, chosen, values, given: isComplete ? given : undefined };
}

interface InputFieldsProps {
  readonly inputs: Inputs;
  readonly input: ReturnType<typeof useInput>;
  /** The refusal of the last call. */
  readonly error: unknown;
}

export function InputFields({ inputs, input: { texts, set, chosen, values }, error }: InputFieldsProps) {
  return (
    <>
      {inputs.files.map((input) => (
        <FileField
          key={input.name}
          input={input}
          text={texts[input.name] ?? ''}
          file={chosen.get(input.name)}
          problem={problemAt(error, `input.files.${input.name}[0]`)}
          set={(text) => set(input.name, text)}
        />
      ))}
      {values.map(({ input, read }) => (
        <ValueField
          key={input.name}
          input={input}
          isWrong={read === undefined}
          text={texts[input.name] ?? ''}
          problem={problemAt(error, `input.json.${input.name}`)}
          set={(text) => set(input.name, text)}
        />
      ))}
    </>
  );
}

/** The files that the texts of file inputs name. Undefined: still being searched. Null: the file does not exist. */
function useChosenFiles(inputs: readonly FileInput[], texts: Texts) {
  const named = inputs.filter(({ name }) => (texts[name] ?? '') !== '');
  const found = useQueries({ queries: named.map(({ name }) => knownFile(texts[name] ?? '')) });
  return new Map<string, KnownFile | null | undefined>(named.map(({ name }, at) => [name, found[at]?.data]));
}

/** The input as a member, or none if it is left out. Undefined: the value is missing, or has another type. */
function readValue({ name, type, required }: JsonInput, text: string): object | undefined {
  if (text === '') return required === false ? {} : undefined;
  if (type === 'string') return { [name]: text };
  try {
    return { [name]: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

interface FieldProps<Input> {
  readonly input: Input;
  readonly text: string;
  readonly problem: string | undefined;
  readonly set: (text: string) => void;
}

interface FileFieldProps extends FieldProps<FileInput> {
  readonly file: KnownFile | null | undefined;
}

function FileField({ input: { name, required, mediaTypes }, text, problem, set, file }: FileFieldProps) {
  const suggested = useId();
  const sources = useQuery(newestSources).data?.results ?? [];
  const names = new Set(sources.flatMap(({ file_name }) => file_name ?? []));
  const kinds = (mediaTypes ?? []).length > 0 ? ` of ${(mediaTypes ?? []).join(', ')}` : '';
  const hint = file
    ? `File ${file.id}, ${file.file_name}, ${bytes(file.file_size)}, in ${file.workspace.name}`
    : `The name or the id of a recorded file${kinds}${required === false ? '; it may be left out' : ''}`;
  const absent = file === null ? 'No recorded file has this name or id' : undefined;
  return (
    <Field label={name} hint={hint} problem={absent ?? problem}>
      {(ids) => (
        <>
          <input
            {...ids}
            list={suggested}
            spellCheck={false}
            value={text}
            onChange={({ target }) => set(target.value)}
          />
          <datalist id={suggested}>
            {[...names].map((one) => (
              <option key={one} value={one} />
            ))}
          </datalist>
        </>
      )}
    </Field>
  );
}

interface ValueFieldProps extends FieldProps<JsonInput> {
  readonly isWrong: boolean;
}

function ValueField({ input: { name, type, required }, text, problem, set, isWrong }: ValueFieldProps) {
  const hint = `A value of type ${type}${required === false ? '; it may be left out' : ''}`;
  const wrong = isWrong && text !== '' ? `This is no JSON of type ${type}` : undefined;
  return (
    <Field label={name} hint={hint} problem={wrong ?? problem}>
      {(ids) => (
        <input {...ids} spellCheck={false} value={text} onChange={({ target }) => set(target.value)} />
      )}
    </Field>
  );
}
