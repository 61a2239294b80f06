/** The command, inputs and outputs of a job type, with its manifest and configuration. */
import { resource, resourceWord } from '../format/amounts.ts';
import { sentence } from '../format/sentence.ts';
import { duration } from '../format/times.ts';
import { Fact } from '../parts/fact.tsx';
import { Instant } from '../parts/instants.tsx';
import { InputFacts } from '../type-pages/input-facts.tsx';
import { RecipeTypeLinks } from '../type-pages/recipe-type-links.tsx';
import type { JobType } from './queries.ts';

export function Manifest({ type }: { readonly type: JobType }) {
  const { job } = type.manifest;
  return (
    <>
      <section aria-label="Command">
        <h2>Command</h2>
        <pre className="command" tabIndex={0}>
          {job.interface?.command ?? '(no command)'}
        </pre>
      </section>
      <div className="columns">
        <Takes type={type} />
        <Makes type={type} />
        <Facts type={type} />
      </div>
      <section aria-label="Documents">
        <details className="first">
          <summary>The manifest as JSON</summary>
          <pre className="command" tabIndex={0}>
            {JSON.stringify(type.manifest, null, 2)}
          </pre>
        </details>
        <details>
          <summary>The configuration as JSON, without secrets</summary>
          <pre className="command" tabIndex={0}>
            {JSON.stringify(type.configuration, null, 2)}
          </pre>
        </details>
      </section>
    </>
  );
}

function Takes({ type }: { readonly type: JobType }) {
  const { files, json } = type.manifest.job.interface?.inputs ?? {};
  const taken = (files ?? []).map(({ mediaTypes, ...file }) => ({ ...file, mediaTypes: mediaTypes ?? [] }));
  return <InputFacts files={taken} values={json ?? []} />;
}

function Makes({ type }: { readonly type: JobType }) {
  const { files = [], json = [] } = type.manifest.job.interface?.outputs ?? {};
  const [madeFiles, madeValues] = [files ?? [], json ?? []];
  return (
    <section aria-label="Output">
      <h2>Output</h2>
      <dl className="facts">
        {madeFiles.map(({ name, pattern, required, multiple }) => (
          <Fact key={name} name={name}>
            {multiple === true ? 'files' : 'a file'} <code>{pattern}</code>
            {required === false && ', optional'}
          </Fact>
        ))}
        {madeValues.map(({ name, type: kind, required }) => (
          <Fact key={name} name={name}>
            {kind}
            {required === false && ', optional'}
          </Fact>
        ))}
      </dl>
      {madeFiles.length + madeValues.length === 0 && <p className="soft">No outputs declared.</p>}
    </section>
  );
}

function Facts({ type }: { readonly type: JobType }) {
  const { job } = type.manifest;
  const scalars = job.resources?.scalar ?? [];
  return (
    <section aria-label="Facts">
      <h2>Job type</h2>
      <dl className="facts">
        <Fact name="Image">
          <code>{type.container_image}</code>
        </Fact>
        {scalars.map(({ name, value }) => (
          <Fact key={name} name={sentence(resourceWord(name))}>
            {resource(name, value)}
          </Fact>
        ))}
        <Fact name="Timeout">{duration(job.timeout * 1_000)}</Fact>
        <Fact name="Tries">{type.max_tries > 0 ? `At most ${type.max_tries}` : '1'}</Fact>
        {type.max_scheduled !== null && <Fact name="At once">At most {type.max_scheduled} jobs</Fact>}
        {type.recipe_types.length > 0 && (
          <Fact name="Used by">
            <RecipeTypeLinks types={type.recipe_types} />
          </Fact>
        )}
        <Fact name="Created">
          <Instant at={type.created} />
        </Fact>
        <Fact name="Changed">
          <Instant at={type.last_modified} />
        </Fact>
      </dl>
    </section>
  );
}
