/** The filters of the list of jobs. Each change goes to a new address. */
import { useNavigate } from '@tanstack/react-router';
import { ObjectFilter } from '../choices/object-choice.tsx';
import { Choice } from '../parts/choice.tsx';
import { FilterBar, SetFilter } from '../parts/filter-bar.tsx';
import { SavedFilters } from '../parts/saved-filters.tsx';
import { wordOf } from '../parts/status.tsx';
import { isFiltered, RANGE_WORDS, RANGES } from '../search.ts';
import { CATEGORIES, type JobSearch, STATUSES } from './job-search.ts';
import { jobTypeNames } from './queries.ts';

export function Filters({ search }: { readonly search: JobSearch }) {
  const navigate = useNavigate();
  const set = (name: keyof JobSearch, value: string) =>
    void navigate({ to: '/console/jobs/', search: { ...search, [name]: value === '' ? undefined : value } });
  return (
    <FilterBar
      isFiltered={isFiltered(search)}
      clear={() => void navigate({ to: '/console/jobs/', search: {} })}
    >
      <Choice
        label="Status"
        value={search.status}
        choices={STATUSES.map((status) => [status, wordOf(status)])}
        set={(value) => set('status', value)}
      />
      <ObjectFilter
        label="Type"
        value={search.type}
        source={jobTypeNames}
        set={(value) => set('type', value)}
      />
      <Choice
        label="Error"
        value={search.category}
        choices={CATEGORIES.map((category) => [category, wordOf(category)])}
        set={(value) => set('category', value)}
      />
      <Choice
        label="Changed"
        value={search.changed}
        choices={RANGES.map((range) => [range, RANGE_WORDS[range]])}
        set={(value) => set('changed', value)}
      />
      <SetFilter name="Waiting for" value={search.waits_for} remove={() => set('waits_for', '')} />
      <SetFilter name="Recipe" value={search.recipe} remove={() => set('recipe', '')} />
      <SetFilter name="Batch" value={search.batch} remove={() => set('batch', '')} />
      <SetFilter name="Error" value={search.error} remove={() => set('error', '')} />
      <SavedFilters list="jobs" />
    </FilterBar>
  );
}
