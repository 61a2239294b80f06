/** The text that a new recipe type begins with. */
import type { JobType } from '../job-type/queries.ts';

/** Completions can extend it. */
const WITHOUT_NODES = {
  title: '',
  description: '',
  definition: { input: { files: [{ name: 'FILE' }] }, nodes: {} },
};

/** With one node, which runs the job type: the recipe has the inputs of the job type and gives them to it. */
export function firstDraft(jobType: JobType | undefined): object {
  if (jobType === undefined) return WITHOUT_NODES;
  const { name, version, title, description, manifest } = jobType;
  const inputs = manifest.job.interface?.inputs;
  const [files, json] = [inputs?.files ?? [], inputs?.json ?? []];
  const input = Object.fromEntries(
    [...files, ...json].map((one) => [one.name, { type: 'recipe', input: one.name }]),
  );
  const node_type = { node_type: 'job', job_type_name: name, job_type_version: version };
  return {
    ...{ title, description },
    definition: {
      input: {
        files: files.map((one) => ({
          ...{ name: one.name, required: one.required, multiple: one.multiple },
          media_types: one.mediaTypes,
        })),
        json: json.map((one) => ({ name: one.name, type: one.type, required: one.required })),
      },
      nodes: { [name]: { dependencies: [], input, node_type } },
    },
  };
}
