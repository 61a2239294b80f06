/** Tabs: parts of a page of which one is shown. The chosen one is in the address. */
import { Link } from '@tanstack/react-router';

interface Props<T extends string> {
  readonly label: string;
  readonly tabs: readonly (readonly [tab: T, title: string])[];
  readonly chosen: T;
}

export function Tabs<T extends string>({ label, tabs, chosen }: Props<T>) {
  return (
    <nav className="tabs" aria-label={label}>
      {tabs.map(([tab, title]) => (
        <Link
          key={tab}
          to="./"
          search={{ tab } as never}
          className={tab === chosen ? 'chosen' : ''}
          aria-current={tab === chosen ? 'page' : undefined}
          activeProps={{}}
        >
          {title}
        </Link>
      ))}
    </nav>
  );
}
