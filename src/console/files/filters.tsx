/** The filters of the list of files. Each change goes to a new address. */
import { useNavigate } from '@tanstack/react-router';
import { ObjectFilter } from '../choices/object-choice.tsx';
import { jobTypeNames } from '../jobs/queries.ts';
import { Choice } from '../parts/choice.tsx';
import { FilterBar, SetFilter } from '../parts/filter-bar.tsx';
import { TextFilter } from '../parts/text-filter.tsx';
import { recipeTypesById } from '../recipes/queries.ts';
import { isFiltered, RANGE_WORDS, RANGES } from '../search.ts';
import { fileTypeWord } from './file-columns.tsx';
import { FILE_TYPES, type FileSearch } from './file-search.ts';

export function Filters({ search }: { readonly search: FileSearch }) {
  const navigate = useNavigate();
  const set = (name: keyof FileSearch, value: string) =>
    void navigate({ to: '/console/files/', search: { ...search, [name]: value === '' ? undefined : value } });
  return (
    <FilterBar
      isFiltered={isFiltered(search)}
      clear={() => void navigate({ to: '/console/files/', search: {} })}
    >
      <TextFilter
        label="Name"
        placeholder="part of it"
        value={search.name}
        set={(text) => set('name', text)}
      />
      <Choice
        label="Type"
        value={search.type}
        choices={FILE_TYPES.map((type) => [type, fileTypeWord(type)])}
        set={(value) => set('type', value)}
      />
      <TextFilter
        label="Media type"
        placeholder="text/csv"
        value={search.media}
        set={(text) => set('media', text)}
      />
      <ObjectFilter
        label="Made by"
        value={search.job_type}
        source={jobTypeNames}
        set={(value) => set('job_type', value)}
      />
      <ObjectFilter
        label="Recipe type"
        value={search.recipe_type}
        source={recipeTypesById}
        set={(value) => set('recipe_type', value)}
      />
      <Choice
        label="Created"
        value={search.created}
        choices={RANGES.map((range) => [range, RANGE_WORDS[range]])}
        set={(value) => set('created', value)}
      />
      {(['output', 'job', 'recipe', 'batch'] as const).map((name) => (
        <SetFilter key={name} name={WORDS[name]} value={search[name]} remove={() => set(name, '')} />
      ))}
    </FilterBar>
  );
}

const WORDS = { output: 'Output', job: 'Job', recipe: 'Recipe', batch: 'Batch' } as const;
