/** Choices of objects as the lists of the interface find them. */
import { type ChoiceSource, type FoundChoices, LISTED_MAX } from './object-choice.tsx';

/** Parameters that the lists of named objects share. */
export interface NamedQuery {
  readonly keyword?: string[];
  readonly id?: number[];
  readonly page_size: number;
  readonly fields: string;
  readonly order: ['title'];
}

interface NamedPage {
  readonly count: number;
  readonly results: readonly { readonly id?: number; readonly name?: string; readonly title?: string }[];
}

type About = Pick<ChoiceSource, 'key' | 'kinds' | 'noun'>;

/** Objects with a name and a title. `field`: what a choice stands for. */
export function namedChoices(
  about: About,
  field: 'id' | 'name',
  read: (query: NamedQuery, signal: AbortSignal) => Promise<NamedPage>,
): ChoiceSource {
  const find = async (
    terms: Pick<NamedQuery, 'keyword' | 'id'>,
    signal: AbortSignal,
  ): Promise<FoundChoices> => {
    const query: NamedQuery = {
      ...{ ...terms, page_size: LISTED_MAX, fields: 'id,name,title' },
      order: ['title'],
    };
    const { count, results } = await read(query, signal);
    return { count, choices: results.map((one) => [String(one[field]), `${one.title} (${one.name})`]) };
  };
  return {
    ...about,
    read: (text, signal) => find({ keyword: [text] }, signal),
    async textOf(value, signal) {
      const terms = field === 'id' ? { id: [Number(value)] } : { keyword: [value] };
      return (await find(terms, signal)).choices.find(([one]) => one === value)?.[1];
    },
  };
}

const ID = /^[1-9]\d{0,14}$/;

/** What a search finds among objects whose titles may be empty or the same: by the title, or by the id. */
export async function byTitleOrId(
  text: string,
  read: (terms: { readonly keyword: string[] } | { readonly id: number[] }) => Promise<FoundChoices>,
): Promise<FoundChoices> {
  if (!ID.test(text)) return read({ keyword: [text] });
  const [named, numbered] = await Promise.all([read({ keyword: [text] }), read({ id: [Number(text)] })]);
  const others = named.choices.filter(([value]) => numbered.choices.every(([one]) => one !== value));
  const twice = named.choices.length - others.length;
  return {
    count: named.count + numbered.count - twice,
    choices: [...numbered.choices, ...others].slice(0, LISTED_MAX),
  };
}

/** What such objects are searched by. */
export const TITLE_OR_ID = 'a part of the title, or the id';
