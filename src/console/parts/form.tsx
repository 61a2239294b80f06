/** Fields of a form. Below each are the problems that the service found in its value. */
import { type ReactNode, useId } from 'react';
import { RefusedError } from '../../client/errors.ts';
import { sentence } from '../format/sentence.ts';

interface FieldProps {
  readonly label: string;
  readonly hint?: string;
  /** The problems of the last answer, by their path in the body. */
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

/**
 * The `ref` of the field that a dialog begins with: what is typed right behind the key that opens the dialog goes
 * there. By itself a dialog takes the focus some frames later, to its first field.
 */
export function takeFocus(element: HTMLElement | null): void {
  element?.focus();
}

/** The service's problems about one field of a refused body. */
export function problemAt(error: unknown, path: string): string | undefined {
  if (!(error instanceof RefusedError)) return undefined;
  return sentence(error.problems.find((one) => one.path === path)?.description);
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

/** Shows the result of a validation. */
export function Problems({ title, problems, tone }: ProblemsProps) {
  if (problems.length === 0) return null;
  return (
    <div className={tone === 'bad' ? 'failure' : 'note'}>
      <strong>{title}</strong>
      <ul className="problems">
        {problems.map(({ name, description, path }) => (
          <li key={`${name} ${path} ${description}`}>
            {path === '' ? (
              sentence(description)
            ) : (
              <>
                <code>{path}</code> {description}
              </>
            )}{' '}
            <span className="soft">{name}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
