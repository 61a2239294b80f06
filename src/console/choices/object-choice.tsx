/**
 * A choice among objects that the service has: a list of all where there are few, else a button that opens a dialog in
 * which the service searches them.
 */
import { Dialog } from '@base-ui/react/dialog';
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { useCallback, useId, useMemo, useState } from 'react';
import { count } from '../format/amounts.ts';
import { type Shown, shows } from '../live/shown.ts';
import { withChosen } from '../parts/choice.tsx';
import { type SearchEntry, SearchList } from './search-list.tsx';

/** limit: objects that are listed; the others are found by their name. */
export const LISTED_MAX = 50;
/** The pause in typing after which the service is asked, in ms. */
const PAUSE_MS = 120;

type ChoicePair = readonly [value: string, text: string];

export interface FoundChoices {
  /** How many objects there are for the text. */
  readonly count: number;
  /** The first `LISTED_MAX` of them. */
  readonly choices: readonly ChoicePair[];
}

/** How the objects are read. */
export interface ChoiceSource {
  /** As a key among all queries. */
  readonly key: readonly unknown[];
  /** Changes of these kinds of objects make the list out of date. */
  readonly kinds: Shown['kinds'];
  /** What one of them is, as in "a job type". */
  readonly noun: string;
  /** What the service searches them by, as in "a part of the title". Without it, by a part of the name. */
  readonly searchedBy?: string;
  /** `text`: what the person searches for; `''` for all. */
  read(text: string, signal: AbortSignal): Promise<FoundChoices>;
  /** Reads the text of a value. Without it, a value is its own text. */
  textOf?(value: string, signal: AbortSignal): Promise<string | undefined>;
}

/** The key of the queries of its choices. */
export const choicesOf = ({ key }: ChoiceSource) => ['choices', ...key];

const found = (source: ChoiceSource, text: string) =>
  queryOptions({
    queryKey: [...choicesOf(source), text],
    queryFn: async ({ signal }) => {
      if (text !== '') await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      signal.throwIfAborted();
      return source.read(text, signal);
    },
    placeholderData: keepPreviousData,
    ...shows(source.kinds),
  });

const textOfValue = ({ key, kinds, textOf }: ChoiceSource, value: string) =>
  queryOptions({
    queryKey: ['choice', ...key, value],
    queryFn: async ({ signal }) => (await textOf?.(value, signal)) ?? value,
    ...shows(kinds),
  });

/** The objects that are listed without a search. */
export const useFirstChoices = (source: ChoiceSource) => useQuery(found(source, ''));

interface Props {
  /** Those of a label, and of a description. */
  readonly id?: string;
  readonly 'aria-describedby'?: string;
  readonly source: ChoiceSource;
  readonly value: string | undefined;
  /** The text of the empty choice; without it, there is none. */
  readonly none?: string;
  /** Called with `''` for the empty choice. */
  readonly set: (value: string) => void;
}

export function ObjectChoice({ source, value = '', none, set, ...ids }: Props) {
  const { data: first, isPending } = useFirstChoices(source);
  const isListed = first?.choices.some(([one]) => one === value) ?? false;
  const own = useQuery({
    ...textOfValue(source, value),
    enabled: source.textOf !== undefined && value !== '' && first !== undefined && !isListed,
  });
  const chosen: ChoicePair = [value, own.data ?? value];
  if (first !== undefined && first.count > first.choices.length) {
    const text = first.choices.find(([one]) => one === value)?.[1] ?? chosen[1];
    return <Chooser {...{ source, none, set, value, text, ids }} />;
  }
  return (
    // Not before it is known whether this list or a dialog takes the choice: it would go away below the pointer.
    <select {...ids} value={value} onChange={({ target }) => set(target.value)} disabled={isPending}>
      {(none !== undefined || value === '') && <option value="">{none ?? 'Choose one'}</option>}
      {withChosen(first?.choices ?? [], value === '' ? undefined : value, chosen[1]).map(([one, text]) => (
        <option key={one} value={one}>
          {text}
        </option>
      ))}
    </select>
  );
}

interface FilterProps extends Pick<Props, 'source' | 'value' | 'set'> {
  readonly label: string;
}

/** A filter by an object. */
export function ObjectFilter({ label, value, ...choice }: FilterProps) {
  const id = useId();
  return (
    <span className={value === undefined ? 'choice unset' : 'choice chosen'}>
      <label htmlFor={id}>{label}</label>
      <ObjectChoice id={id} value={value} none="Any" {...choice} />
    </span>
  );
}

interface ChooserProps extends Required<Pick<Props, 'source' | 'value' | 'set'>> {
  readonly none: string | undefined;
  /** The text of the chosen value. */
  readonly text: string;
  readonly ids: Pick<Props, 'id' | 'aria-describedby'>;
}

function Chooser({ source, value, none, text, set, ids }: ChooserProps) {
  const [isOpen, setIsOpen] = useState(false);
  const popup = useId();
  const take = useCallback(
    (one: string) => {
      setIsOpen(false);
      set(one);
    },
    [set],
  );
  return (
    <Dialog.Root open={isOpen} onOpenChange={setIsOpen}>
      <Dialog.Trigger
        {...ids}
        className="chooser"
        role="combobox"
        aria-expanded={isOpen}
        aria-controls={popup}
      >
        <span>{value === '' ? (none ?? 'Choose one') : text}</span>
        <span aria-hidden="true">▾</span>
      </Dialog.Trigger>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup id={popup} className="dialog palette">
          <Dialog.Title className="hidden">Choose {source.noun}</Dialog.Title>
          <Found source={source} none={none} take={take} />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

interface FoundEntry extends SearchEntry {
  readonly value: string;
}

interface FoundProps extends Pick<ChooserProps, 'source' | 'none'> {
  readonly take: (value: string) => void;
}

function Found({ source, none, take }: FoundProps) {
  const { searchedBy = 'a part of the name' } = source;
  const [text, setText] = useState('');
  const wanted = text.trim();
  const { data, isFetching, error } = useQuery(found(source, wanted));
  const entries = useMemo(() => {
    const objects = (data?.choices ?? []).map(([value, title]) => entryOf(value, title));
    return none === undefined || wanted !== '' ? objects : [entryOf('', none), ...objects];
  }, [data, none, wanted]);
  const more = (data?.count ?? 0) - (data?.choices.length ?? 0);
  const taken = useCallback(({ value }: FoundEntry) => take(value), [take]);
  return (
    <>
      <SearchList
        label={`Choose ${source.noun} by ${searchedBy}`}
        listLabel="Found"
        {...{ text, setText, entries, error, take: taken, isSearching: isFetching }}
      />
      <p className="soft" role="status">
        {data?.count === 0 && 'None is found.'}
        {more > 0 && `${count(more)} more: type ${searchedBy}.`}
      </p>
    </>
  );
}

function entryOf(value: string, title: string): FoundEntry {
  return { key: value, value, title, detail: '', isAtOnce: value === '' };
}
