/** The editor of a type with the service's validation of the draft, and the content beside it. */
import type { UseMutationResult, UseQueryResult } from '@tanstack/react-query';
import { type ReactNode, useMemo, useRef } from 'react';
import { counted } from '../format/amounts.ts';
import { sentence } from '../format/sentence.ts';
import { Instant } from '../parts/instants.tsx';
import { Failure } from '../parts/states.tsx';
import type { Known } from './completions.ts';
import type { Draft } from './draft.ts';
import { type EditorHandle, JsonEditor, type TextProblem } from './json-editor.tsx';
import { declaresSecret } from './kept-text.ts';
import type { Validation } from './queries.ts';

type Found = Pick<Validation, 'is_valid' | 'errors' | 'warnings'>;

interface Props {
  readonly label: string;
  readonly draft: Draft;
  readonly known: () => Promise<Known>;
  readonly validation: UseQueryResult<Found>;
  readonly save: UseMutationResult<unknown, unknown, void>;
  /** The newest revision of the type; undefined: it is a new one. */
  readonly newest: number | undefined;
  /** The text of the button: "Create revision 3". */
  readonly action: string;
  /** What an untouched draft that is not complete lacks, in place of its problems. */
  readonly nextStep?: string | undefined;
  /** Content beside the editor. */
  readonly children: ReactNode;
  /** Content above the button. */
  readonly options?: ReactNode;
}

/** Not a problem: the graph shows this meaning. */
const EXPLANATION = 'FILTER_MEANING';

function problemsOf(found: Found | undefined): readonly TextProblem[] {
  const worries = (found?.warnings ?? []).filter(({ name }) => name !== EXPLANATION);
  return [
    ...(found?.errors ?? []).map((one) => ({ ...one, severity: 'error' as const })),
    ...worries.map((one) => ({ ...one, severity: 'warning' as const })),
  ];
}

export function TypeForm(props: Props) {
  const { label, draft, known, validation, save, newest, action, nextStep, children, options } = props;
  const editor = useRef<EditorHandle>(null);
  const found = validation.data;
  // Those of an earlier text say nothing about one that is not JSON.
  const isRead = draft.document !== undefined;
  const isBeginning = draft.isUntouched && nextStep !== undefined;
  const problems = useMemo(
    () => (isRead && !isBeginning ? problemsOf(found) : []),
    [isRead, isBeginning, found],
  );
  const isReady = isRead && !draft.isBehind && found?.is_valid === true;
  return (
    <div className="type-form">
      <section aria-label={label} className="type-text">
        <div className="section-head">
          <h2>{label}</h2>
          <Verdict {...{ draft, found, isBeginning }} isChecking={validation.isFetching} />
        </div>
        {isBeginning && <p>{nextStep}</p>}
        <Continued draft={draft} />
        <JsonEditor
          key={draft.beginning}
          label={label}
          text={draft.text}
          onChange={draft.setText}
          known={known}
          problems={problems}
          handle={editor}
        />
        {validation.isError && <Failure error={validation.error} retry={() => void validation.refetch()} />}
        <Problems problems={problems} show={(path) => editor.current?.show(path)} />
        {newest !== draft.revision && save.isIdle && (
          <p role="alert" className="note">
            Somebody has created revision {newest} meanwhile. This text began as revision {draft.revision}: as
            it stands, it undoes the changes between them.
          </p>
        )}
        {options}
        {save.isError && <Failure error={save.error} />}
        <div className="actions">
          <button
            type="button"
            className="primary"
            disabled={!isReady || validation.isFetching || save.isPending}
            onClick={() => save.mutate()}
          >
            {action}
          </button>
        </div>
      </section>
      <div className="type-beside">{children}</div>
    </div>
  );
}

/** Says that the text is one that was left unsaved, and leads back to the beginning. */
function Continued({ draft: { text, continuedFrom, beginAnew } }: { readonly draft: Draft }) {
  if (continuedFrom === undefined) return null;
  return (
    <div className="note unsaved">
      <p>
        This is your text of <Instant at={continuedFrom} />, which is not saved yet.
        {declaresSecret(text) && ' Values of secret settings are not kept: type them again.'}
      </p>
      <button type="button" className="quiet" onClick={beginAnew}>
        Discard it and begin anew
      </button>
    </div>
  );
}

interface VerdictProps {
  readonly draft: Draft;
  readonly found: Found | undefined;
  readonly isChecking: boolean;
  /** Nothing has been typed: what it lacks is no mistake. */
  readonly isBeginning: boolean;
}

function Verdict({ draft, found, isChecking, isBeginning }: VerdictProps) {
  const errors = found?.errors.length ?? 0;
  const words =
    draft.isBehind || isChecking
      ? 'Checking'
      : draft.document === undefined
        ? 'Not a JSON object'
        : found === undefined
          ? ''
          : found.is_valid
            ? 'Valid'
            : isBeginning
              ? 'Not complete yet'
              : counted(errors, 'problem');
  const isWrong =
    !draft.isBehind && !isChecking && !isBeginning && (draft.document === undefined || errors > 0);
  return (
    <span role="status" className={isWrong ? 'bad' : words === 'Valid' ? 'status good' : 'soft'}>
      {words}
    </span>
  );
}

interface ProblemsProps {
  readonly problems: readonly TextProblem[];
  readonly show: (path: string) => void;
}

function Problems({ problems, show }: ProblemsProps) {
  if (problems.length === 0) return null;
  return (
    <ul className="problems" aria-label="Problems">
      {problems.map(({ path, description, severity }) => (
        <li key={`${severity} ${path} ${description}`}>
          <span aria-hidden="true" className={`shape ${severity === 'error' ? 'bad' : 'warned'}`}>
            {severity === 'error' ? '✕' : '!'}
          </span>
          <div>
            <button type="button" className="link mono" onClick={() => show(path)}>
              {path === '' ? 'the document' : path}
            </button>
            <p>
              <span className="hidden">{severity}: </span>
              {sentence(description)}
            </p>
          </div>
        </li>
      ))}
    </ul>
  );
}
