/** The queries of the editors of types: schemas, and validations of drafts. */
import { queryOptions } from '@tanstack/react-query';
import type { AnswerOf, BodyOf } from '../../client/operations.ts';
import { client } from '../client.ts';
import { shows } from '../live/shown.ts';
import type { Schemas } from './schema.ts';

interface OpenApi {
  readonly components: { readonly schemas: Schemas };
}

export const schemas = queryOptions({
  queryKey: ['openapi', 'schemas'],
  queryFn: async ({ signal }) => {
    // The document does not describe itself.
    const document: object = await client.get('/v6/openapi.json', { signal });
    return (document as OpenApi).components.schemas;
  },
  staleTime: Number.POSITIVE_INFINITY,
});

/** limit: job types that are offered for the first node; completions know all of them. */
const OFFERED_MAX = 10;

/** The job types that changed last, without those of diagnostics. */
export const jobTypesForNodes = queryOptions({
  queryKey: ['job-types', 'for nodes'],
  queryFn: ({ signal }) =>
    client.get('/v6/job-types/', {
      query: { is_active: true, is_system: false, order: ['-last_modified'], page_size: OFFERED_MAX },
      signal,
    }),
  ...shows(['job_type']),
});

export type RecipeTypeDraft = BodyOf<'post', '/v6/recipe-types/'>;
export type JobTypeDraft = BodyOf<'post', '/v6/job-types/'>;
export type Validation = AnswerOf<'post', '/v6/job-types/validation/'>;

/** `name`: of the recipe type that would be edited. The draft may have any form: the service finds its problems. */
export const recipeTypeValidation = (draft: object, name: string | undefined) =>
  queryOptions({
    queryKey: ['validation', 'recipe-type', name, draft],
    queryFn: ({ signal }) =>
      client.post('/v6/recipe-types/validation/', {
        body: { ...draft, ...(name === undefined ? {} : { name }) } as BodyOf<
          'post',
          '/v6/recipe-types/validation/'
        >,
        signal,
      }),
    gcTime: 0,
  });

export const jobTypeValidation = (draft: object) =>
  queryOptions({
    queryKey: ['validation', 'job-type', draft],
    queryFn: ({ signal }) =>
      client.post('/v6/job-types/validation/', {
        body: draft as BodyOf<'post', '/v6/job-types/validation/'>,
        signal,
      }),
    gcTime: 0,
  });
