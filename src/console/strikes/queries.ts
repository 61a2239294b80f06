/** What the list of strikes reads, and the choice of one. */
import type { ChoiceSource } from '../choices/object-choice.tsx';
import { namedChoices } from '../choices/sources.ts';
import { client } from '../client.ts';
import { PAGE, type RecordSource } from '../parts/record-rows.ts';
import type { Strike } from './strike-columns.tsx';
import type { Sort } from './strike-search.ts';

export const strikeList = (order: Sort | `-${Sort}`): RecordSource<Strike> => ({
  key: ['strikes', order],
  // The node is shown too, which changes with the strike's job.
  kinds: ['strike', 'job', 'workspace'],
  read: (page, signal) =>
    client.get('/v6/strikes/', { query: { order: [order], page, page_size: PAGE }, signal }),
});

export const strikesById: ChoiceSource = namedChoices(
  { key: ['strikes'], kinds: ['strike'], noun: 'a strike' },
  'id',
  (query, signal) => client.get('/v6/strikes/', { query, signal }),
);
