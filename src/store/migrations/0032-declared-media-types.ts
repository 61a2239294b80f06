// Manifests that are kept say a media type of an output only where one is declared: what none is declared for is guessed by
// the name of each file, and application/octet-stream that is declared is kept. Manifests of earlier times have
// application/octet-stream in both cases, and were guessed for: so they go on, until their type is edited.

export const name = '0032-declared-media-types';

// A coordinator of the version before takes an output without a media type for one that no input asks for.
export const isBreaking = false;

export const up: readonly string[] = [
  /* sql */ `
update job_type_rev
set manifest = jsonb_set(manifest, '{job,interface,outputs,files}', (
  select jsonb_agg(
    case when file ->> 'mediaType' = 'application/octet-stream' then file - 'mediaType' else file end order by at)
  from jsonb_array_elements(manifest #> '{job,interface,outputs,files}') with ordinality as output (file, at)))
where manifest @> '{"job": {"interface": {"outputs": {"files": [{"mediaType": "application/octet-stream"}]}}}}';
`,
];
