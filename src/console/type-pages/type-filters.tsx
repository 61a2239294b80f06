/** The filters of the lists of types. */
import { useNavigate } from '@tanstack/react-router';
import { Choice } from '../parts/choice.tsx';
import { TextFilter } from '../parts/text-filter.tsx';
import { ACTIVE, type TypeSearch } from './type-search.ts';

const ACTIVE_WORDS = { active: 'Active', deprecated: 'Deprecated' } as const;

interface Props {
  readonly path: '/console/job-types/' | '/console/recipe-types/';
  readonly search: TypeSearch;
}

export function TypeFilters({ path, search }: Props) {
  const navigate = useNavigate();
  const set = (name: keyof TypeSearch, value: string) =>
    void navigate({ to: path, search: { ...search, [name]: value === '' ? undefined : value } });
  return (
    <search className="filters">
      <TextFilter
        label="Name"
        value={search.keyword}
        placeholder="part of a name or title"
        set={(value) => set('keyword', value)}
      />
      <Choice
        label="Use"
        value={search.active}
        choices={ACTIVE.map((active) => [active, ACTIVE_WORDS[active]])}
        set={(value) => set('active', value)}
      />
    </search>
  );
}
