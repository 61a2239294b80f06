/** Tries names with the rules of a strike: which rule takes each, where the file would go, and what it would start. */
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useId, useState } from 'react';
import type { components } from '../../client/operations.ts';
import { client } from '../client.ts';
import { count, counted } from '../format/amounts.ts';
import { sentence } from '../format/sentence.ts';
import { Causes } from '../job/causes.tsx';
import { Rows } from '../parts/rows.tsx';
import { Failure } from '../parts/states.tsx';
import { StatusMark } from '../parts/status.tsx';

type Tried = components['schemas']['TriedName'];

const NAMES_MAX = 1_000;

export function NamesTester({ strikeId }: { readonly strikeId: number }) {
  const id = useId();
  const [text, setText] = useState('');
  const names = [...new Set(text.split('\n').map((line) => line.trim()))].filter((name) => name !== '');
  const test = useMutation({
    mutationFn: () =>
      client.post('/v6/strikes/{id}/test/', {
        path: { id: strikeId },
        body: { names: names.slice(0, NAMES_MAX) },
      }),
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    test.mutate();
  };
  return (
    <section aria-label="Try names">
      <h2>Try names</h2>
      <form className="names-form" onSubmit={submit}>
        <label htmlFor={id} className="soft">
          Names of files, one a line, with their path in the workspace. Nothing is changed.
        </label>
        <textarea
          id={id}
          rows={4}
          value={text}
          spellCheck={false}
          placeholder={'report.csv\nphoto.jpg_tmp'}
          onChange={({ target }) => setText(target.value)}
        />
        <div className="actions">
          <button type="submit" className="primary" disabled={names.length === 0 || test.isPending}>
            Try {names.length > NAMES_MAX ? `the first ${NAMES_MAX}` : ''}
          </button>
        </div>
      </form>
      {test.isError && <Failure error={test.error} />}
      <p className="hidden" role="status">
        {test.data === undefined ? 'No name was tried yet' : takenWords(test.data.results)}
      </p>
      {test.data !== undefined && <Results results={test.data.results} causes={test.data.causes} />}
    </section>
  );
}

/** The result for screen readers. (The table itself is not announced, because it has buttons.) */
function takenWords(results: readonly Tried[]): string {
  const taken = results.filter(({ is_taken }) => is_taken);
  return `${count(taken.length)} of ${counted(results.length, 'name')} taken`;
}

interface ResultsProps {
  readonly results: readonly Tried[];
  readonly causes: components['schemas']['TriedNames']['causes'];
}

function Results({ results, causes }: ResultsProps) {
  return (
    <div className="tried">
      {causes.length > 0 && (
        <>
          <p className="note">Nothing is found at the moment, whatever its name:</p>
          <Causes causes={causes} />
        </>
      )}
      <Rows
        label="Results"
        isStacked
        heads={['Name', 'Outcome', 'Rule', 'Would be stored as', 'Starts', 'Why']}
      >
        {results.map((one) => (
          <tr key={one.name}>
            <td>{one.name}</td>
            <td>
              <StatusMark
                status={one.is_taken ? 'COMPLETED' : 'FAILED'}
                text={one.is_taken ? 'Taken' : 'Not taken'}
              />
            </td>
            <td>
              {one.rule === null ? (
                '–'
              ) : (
                <>
                  {one.rule.index + 1} <span className="mono soft">{one.rule.filename_regex}</span>
                </>
              )}
            </td>
            <td>{one.workspace === null ? '–' : `${one.workspace} ${one.path ?? ''}`}</td>
            <td>{one.recipe === null ? '–' : `${one.recipe.name}, revision ${one.recipe.revision_num}`}</td>
            <td className="causes-cell">
              {one.causes.map(({ name, reason, help }) => (
                <p key={name}>
                  {sentence(reason)}
                  {help !== null && (
                    <>
                      <br />
                      <span className="soft">{help}</span>
                    </>
                  )}
                </p>
              ))}
            </td>
          </tr>
        ))}
      </Rows>
    </div>
  );
}
