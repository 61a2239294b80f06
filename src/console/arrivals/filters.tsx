/** The filters of the list of arrivals. Each change goes to a new address. */
import { useNavigate } from '@tanstack/react-router';
import { ObjectFilter } from '../choices/object-choice.tsx';
import { Choice } from '../parts/choice.tsx';
import { FilterBar, SetFilter } from '../parts/filter-bar.tsx';
import { wordOf } from '../parts/status.tsx';
import { TextFilter } from '../parts/text-filter.tsx';
import { isFiltered, RANGE_WORDS, RANGES } from '../search.ts';
import { strikesById } from '../strikes/queries.ts';
import { type ArrivalSearch, STATUSES } from './arrival-search.ts';

export function Filters({ search }: { readonly search: ArrivalSearch }) {
  const navigate = useNavigate();
  const set = (name: keyof ArrivalSearch, value: string) =>
    void navigate({
      to: '/console/arrivals/',
      search: { ...search, [name]: value === '' ? undefined : value },
    });
  return (
    <FilterBar
      isFiltered={isFiltered(search)}
      clear={() => void navigate({ to: '/console/arrivals/', search: {} })}
    >
      <TextFilter
        label="Name"
        placeholder="part of it"
        value={search.name}
        set={(text) => set('name', text)}
      />
      <Choice
        label="Status"
        value={search.status}
        choices={STATUSES.map((status) => [status, wordOf(status)])}
        set={(value) => set('status', value)}
      />
      <ObjectFilter
        label="Strike"
        value={search.strike}
        source={strikesById}
        set={(value) => set('strike', value)}
      />
      <Choice
        label="Changed"
        value={search.changed}
        choices={RANGES.map((range) => [range, RANGE_WORDS[range]])}
        set={(value) => set('changed', value)}
      />
      <SetFilter name="Scan" value={search.scan} remove={() => set('scan', '')} />
    </FilterBar>
  );
}
