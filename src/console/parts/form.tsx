/** Fields of a form. Below each is what the service found wrong with it. */
import { type ReactNode, useId } from 'react';
import { RefusedError } from '../../client/errors.ts';

interface FieldProps {
  readonly label: string;
  readonly hint?: string;
  /** Problems of the last answer, by their path in the body. */
  readonly problem?: string | undefined;
  readonly children: (ids: { readonly id: string; readonly 'aria-describedby': string }) => ReactNode;
}

export function Field({ label, hint, problem, children }: FieldProps) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children({ id, 'aria-describedby': `${id}-hint` })}
      <p id={`${id}-hint`} className={problem === undefined ? 'soft' : 'bad'}>
        {problem ?? hint}
      </p>
    </div>
  );
}

/** What the service said about a field of the body that it refused. */
export function problemAt(error: unknown, path: string): string | undefined {
  if (!(error instanceof RefusedError)) return undefined;
  return error.problems.find((one) => one.path === path)?.description;
}

interface ProblemsProps {
  readonly title: string;
  readonly problems: readonly {
    readonly name: string;
    readonly description: string;
    readonly path: string;
  }[];
  readonly tone: 'bad' | 'wait';
}

/** What a validation found. */
export function Problems({ title, problems, tone }: ProblemsProps) {
  if (problems.length === 0) return null;
  return (
    <div className={tone === 'bad' ? 'failure' : 'note'}>
      <strong>{title}</strong>
      <ul className="problems">
        {problems.map(({ name, description, path }) => (
          <li key={`${name} ${path} ${description}`}>
            {path !== '' && <code>{path}</code>} {description} <span className="soft">{name}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
