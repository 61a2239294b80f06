/** The pages on which types are created. */
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { OnlyWriters } from '../parts/only-writers.tsx';
import { JobTypeEditor } from '../type-editor/job-type-editor.tsx';
import { RecipeTypeEditor } from '../type-editor/recipe-type-editor.tsx';

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

export function NewRecipeTypePage() {
  return (
    <NewType list="/console/recipe-types/" title="Recipe type">
      <RecipeTypeEditor type={undefined} />
    </NewType>
  );
}

export function NewJobTypePage() {
  return (
    <NewType list="/console/job-types/" title="Job type">
      <JobTypeEditor type={undefined} />
    </NewType>
  );
}
