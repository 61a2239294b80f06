/** Files of an input or an output, as links to their pages. */
import { Link } from '@tanstack/react-router';
import { counted } from '../format/amounts.ts';

/** limit: files of one input or output that are named. */
export const FILES_MAX = 100;

interface FileLinksProps {
  readonly ids: readonly number[];
  /** Files with their names, these among them. The others are shown by their ids. */
  readonly known: readonly { readonly id: number; readonly file_name: string }[] | undefined;
  /** The most that are shown. */
  readonly shown?: number;
}

export function FileLinks({ ids, known = [], shown = FILES_MAX }: FileLinksProps) {
  const names = new Map(known.map(({ id, file_name }) => [id, file_name]));
  return (
    <ul className="plain-list">
      {ids.slice(0, shown).map((id) => (
        <li key={id}>
          <Link to="/console/files/$id/" params={{ id: String(id) }}>
            {names.get(id) ?? `file ${id}`}
          </Link>
        </li>
      ))}
      {ids.length > shown && <li className="soft">{counted(ids.length - shown, 'more file')}</li>}
    </ul>
  );
}
