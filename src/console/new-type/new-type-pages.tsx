/** The pages on which types are created. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { jobTypeDetails, jobTypeVersions, type TypeVersion } from '../job-type/queries.ts';
import { OnlyWriters } from '../parts/only-writers.tsx';
import { Loaded } from '../parts/states.tsx';
import { JobTypeEditor } from '../type-editor/job-type-editor.tsx';
import { RecipeTypeEditor } from '../type-editor/recipe-type-editor.tsx';
import type { NewTypeSearch } from './new-type-search.ts';

interface Props {
  readonly list: '/console/job-types/' | '/console/recipe-types/';
  readonly title: string;
  readonly children: ReactNode;
}

function NewType({ list, title, children }: Props) {
  return (
    <div className="page wide-page">
      <div className="page-head">
        <h1>
          <Link to={list} className="crumb">
            {title}s
          </Link>{' '}
          <span aria-hidden="true" className="soft">
            /
          </span>{' '}
          New
        </h1>
      </div>
      <OnlyWriters what={`${title.toLowerCase()}s`}>{children}</OnlyWriters>
    </div>
  );
}

export function NewRecipeTypePage({ search: { job_type, version } }: { readonly search: NewTypeSearch }) {
  return (
    <NewType list="/console/recipe-types/" title="Recipe type">
      {job_type === undefined || version === undefined ? (
        <RecipeTypeEditor type={undefined} />
      ) : (
        <StartingWith key={`${job_type} ${version}`} name={job_type} version={version} />
      )}
    </NewType>
  );
}

/** The draft begins with a node for the job type, if there is one. */
function StartingWith({ name, version }: TypeVersion) {
  const versions = useQuery(jobTypeVersions(name));
  return (
    <Loaded query={versions}>
      {({ results }) =>
        results.some((one) => one.version === version) ? (
          <StartingWithType name={name} version={version} />
        ) : (
          <RecipeTypeEditor type={undefined} />
        )
      }
    </Loaded>
  );
}

function StartingWithType(path: TypeVersion) {
  const jobType = useQuery(jobTypeDetails(path));
  return <Loaded query={jobType}>{(found) => <RecipeTypeEditor type={undefined} jobType={found} />}</Loaded>;
}

export function NewJobTypePage() {
  return (
    <NewType list="/console/job-types/" title="Job type">
      <JobTypeEditor type={undefined} />
    </NewType>
  );
}
