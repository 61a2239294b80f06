/** Starts one recipe of a type with a recorded file, and goes to it. */
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { FormEvent } from 'react';
import type { BodyOf } from '../../client/operations.ts';
import { client } from '../client.ts';
import { Failure } from '../parts/states.tsx';
import { InputFields, useInput } from '../try-type/input-fields.tsx';
import type { RecipeType } from './queries.ts';

type Given = BodyOf<'post', '/v6/recipes/'>['input'];

export function Start({ type }: { readonly type: RecipeType }) {
  const navigate = useNavigate();
  const { files, json } = type.definition.input ?? {};
  const inputs = {
    files: (files ?? []).map(({ name, required, media_types }) => ({
      name,
      required,
      mediaTypes: media_types,
    })),
    json: json ?? [],
  };
  const input = useInput(inputs);
  const start = useMutation({
    mutationFn: (given: Given) =>
      client.post('/v6/recipes/', { body: { recipe_type_id: type.id, input: given } }),
    onSuccess: ({ id }) => navigate({ to: '/console/recipes/$id/', params: { id: String(id) } }),
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (input.given !== undefined) start.mutate(input.given);
  };
  return (
    <section aria-label="Try it">
      <h2>Try it with one file</h2>
      <form className="form bounded" onSubmit={submit}>
        <p className="soft">Starts one recipe, which stays in the lists, with its products.</p>
        <InputFields inputs={inputs} input={input} error={start.error} />
        {start.isError && <Failure error={start.error} />}
        <div className="actions">
          <button type="submit" className="primary" disabled={input.given === undefined || start.isPending}>
            Start the recipe
          </button>
        </div>
      </form>
    </section>
  );
}
