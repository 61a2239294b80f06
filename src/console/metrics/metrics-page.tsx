/** Figures by hour, which can be plotted, compared and exported. The choice is in the address. */
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { components } from '../../client/operations.ts';
import { TimeChart } from '../charts/time-chart.tsx';
import { counted } from '../format/amounts.ts';
import { Choice } from '../parts/choice.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { Empty, Failure, Loaded } from '../parts/states.tsx';
import { csvOf, plotted } from './plotted.ts';
import { type MetricsRange, metricsType, metricsTypes, plotData, type Series } from './queries.ts';

export interface MetricsSearch {
  readonly type?: string;
  readonly column?: readonly string[];
  /** The ids of the compared choices. */
  readonly choice?: readonly string[];
  readonly range?: MetricsRange;
}

const FIRST = 'job-types';
const RANGES = [
  ['P1D', 'last day'],
  ['P31D', 'last 31 days'],
] as const;
const DAY_MS = 86_400_000;
const RANGE_MS = { P1D: DAY_MS, P7D: 7 * DAY_MS, P31D: 31 * DAY_MS } as const;
/** limit: offered choices. The list page of the type has more. */
const CHOICES_MAX = 200;

/** An object whose figures can be chosen: a job type, strike, scan or error. */
interface MetricsChoice {
  readonly id: number;
  readonly title?: string;
  readonly name?: string;
  readonly version?: string;
}

const nameOfChoice = ({ id, title, name, version }: MetricsChoice): string =>
  [title ?? name ?? String(id), version].filter((part) => part !== undefined && part !== '').join(' ');

export function MetricsPage({ search }: { readonly search: MetricsSearch }) {
  const { type: name = FIRST, range = 'P7D' } = search;
  const navigate = useNavigate();
  const type = useQuery(metricsType(name));
  const columns = chosenColumns(search.column, type.data?.columns ?? []);
  const choiceIds = (search.choice ?? []).map(Number);
  const data = useQuery(plotData({ name, columns, choiceIds, range }));
  // The OpenAPI document says of a choice only that it is an object.
  const objects: readonly object[] = type.data?.choices ?? [];
  const choices = objects as readonly MetricsChoice[];
  const nameOf = (id: number) => {
    const known = choices.find((one) => one.id === id);
    return known === undefined ? String(id) : nameOfChoice(known);
  };
  const go = (some: MetricsSearch) =>
    void navigate({ to: '/console/metrics/', search: { ...search, ...some } });
  const series = data.data?.results ?? [];
  return (
    <div className="page">
      <PageHead
        title="Metrics"
        beside={
          <span className="soft">
            {type.data === undefined ? '' : `${type.data.description} `}Counted by hour, UTC.
          </span>
        }
      >
        <button
          type="button"
          // Until the figures of a new choice are there, those of the one before are shown.
          disabled={data.isPlaceholderData || series.every(({ values }) => values.length === 0)}
          onClick={() => download(`metrics-${name}.csv`, csvOf(series, nameOf))}
        >
          Export as CSV
        </button>
      </PageHead>
      <Filters name={name} range={range} go={go} />
      <div className="split">
        <div className="form">
          <Loaded query={type}>
            {(found) => (
              <Columns
                type={found}
                chosen={columns}
                toggle={(column) => go({ column: toggled(columns, column) })}
              />
            )}
          </Loaded>
          <Compare
            choices={choices}
            chosen={choiceIds}
            toggle={(id) => go({ choice: toggled(search.choice ?? [], String(id)) })}
          />
        </div>
        <div className="form">
          {data.error !== null && <Failure error={data.error} retry={() => void data.refetch()} />}
          {type.data !== undefined && columns.length === 0 && <Empty title="Choose at least one column" />}
          {series.map((one) => (
            <Plotted key={one.column.name} {...{ one, range, choiceIds, nameOf }} />
          ))}
        </div>
      </div>
    </div>
  );
}

interface FiltersProps {
  readonly name: string;
  readonly range: MetricsRange;
  readonly go: (some: MetricsSearch) => void;
}

function Filters({ name, range, go }: FiltersProps) {
  const types = useQuery(metricsTypes);
  const navigate = useNavigate();
  // Columns and choices belong to a type, so another type begins without them.
  return (
    <search className="filters">
      <Choice
        label="Figures of"
        value={name === FIRST ? undefined : name}
        any="Job types"
        choices={(types.data?.results ?? [])
          .filter((one) => one.name !== FIRST)
          .map((one) => [one.name, one.title])}
        set={(value) =>
          void navigate({
            to: '/console/metrics/',
            search: { range, ...(value === '' ? {} : { type: value }) },
          })
        }
      />
      <Choice
        label="Range"
        value={range === 'P7D' ? undefined : range}
        any="last 7 days"
        choices={RANGES}
        set={(value) => go({ range: value === '' ? 'P7D' : (value as MetricsRange) })}
      />
    </search>
  );
}

interface ColumnsProps {
  readonly type: components['schemas']['MetricsTypeDetails'];
  readonly chosen: readonly string[];
  readonly toggle: (column: string) => void;
}

function Columns({ type, chosen, toggle }: ColumnsProps) {
  return (
    <section aria-label="Columns">
      <h2>Columns</h2>
      {type.groups.map((group) => (
        <fieldset key={group.name} className="choices">
          <legend>{group.title}</legend>
          {type.columns
            .filter((column) => column.group === group.name)
            .map((column) => (
              <label key={column.name} className="check">
                <input
                  type="checkbox"
                  checked={chosen.includes(column.name)}
                  onChange={() => toggle(column.name)}
                />
                {column.title}
              </label>
            ))}
        </fieldset>
      ))}
    </section>
  );
}

interface CompareProps {
  readonly choices: readonly MetricsChoice[];
  readonly chosen: readonly number[];
  readonly toggle: (id: number) => void;
}

/** Chooses the objects that get their own line. */
function Compare({ choices, chosen, toggle }: CompareProps) {
  if (choices.length === 0) return null;
  return (
    <section aria-label="Compare">
      <h2>Compare</h2>
      <p className="soft">If none is chosen, all are added up.</p>
      <div className="choice-list">
        {choices.slice(0, CHOICES_MAX).map((one) => (
          <label key={one.id} className="check">
            <input type="checkbox" checked={chosen.includes(one.id)} onChange={() => toggle(one.id)} />
            {nameOfChoice(one)}
          </label>
        ))}
      </div>
      {choices.length > CHOICES_MAX && (
        <p className="soft">
          The first {CHOICES_MAX} of {counted(choices.length, 'choice')}.
        </p>
      )}
    </section>
  );
}

interface PlottedProps {
  readonly one: Series;
  readonly range: MetricsRange;
  readonly choiceIds: readonly number[];
  readonly nameOf: (id: number) => string;
}

function Plotted({ one, range, choiceIds, nameOf }: PlottedProps) {
  const { title, description } = one.column;
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      <p className="soft">{description}</p>
      {one.values.length === 0 ? (
        <Empty title="Nothing was counted in this range" />
      ) : (
        <TimeChart
          label={title}
          group="metrics"
          rangeMs={RANGE_MS[range]}
          {...plotted(one, choiceIds, nameOf)}
        />
      )}
    </section>
  );
}

/** Those of the address that the type has; the first two where it has none. */
function chosenColumns(
  wanted: readonly string[] | undefined,
  columns: readonly Series['column'][],
): readonly string[] {
  const names = columns.map(({ name }) => name);
  return wanted === undefined ? names.slice(0, 2) : wanted.filter((name) => names.includes(name));
}

function toggled(all: readonly string[], one: string): readonly string[] {
  return all.includes(one) ? all.filter((each) => each !== one) : [...all, one];
}

function download(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/csv' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
