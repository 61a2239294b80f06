/** Tries a job type with one input, before or after its creation: one job, which is deleted after an hour. */
import { useMutation } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import type { BodyOf } from '../../client/operations.ts';
import { client } from '../client.ts';
import { Failure } from '../parts/states.tsx';
import { InputFields, useInput } from './input-fields.tsx';
import { Trial } from './trial.tsx';

type Tried = BodyOf<'post', '/v6/job-types/try/'>;
export type TriedType = Omit<Tried, 'input'>;

interface Props {
  readonly type: TriedType;
}

export function TryType({ type }: Props) {
  const { files, json } = type.manifest.job.interface?.inputs ?? {};
  const inputs = { files: files ?? [], json: json ?? [] };
  const input = useInput(inputs);
  const run = useMutation({
    mutationFn: (given: Tried['input']) =>
      client.post('/v6/job-types/try/', { body: { ...type, input: given } }),
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (input.given !== undefined) run.mutate(input.given);
  };
  return (
    <>
      <section aria-label="Try it">
        <h2>Try it with one file</h2>
        <form className="form bounded" onSubmit={submit}>
          <p className="soft">
            Runs one job, which is neither listed nor counted. It is removed with its products after an hour.
          </p>
          <InputFields inputs={inputs} input={input} error={run.error} />
          {run.isError && <Failure error={run.error} />}
          <div className="actions">
            <button type="submit" className="primary" disabled={input.given === undefined || run.isPending}>
              Run it once
            </button>
          </div>
        </form>
      </section>
      {run.data !== undefined && <Trial key={run.data.id} id={run.data.id} />}
    </>
  );
}
