/** Tabs: parts of a page of which one is shown. The chosen one is in the address. */
import { Link } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';

interface Props<T extends string> {
  readonly label: string;
  readonly tabs: readonly (readonly [tab: T, title: string])[];
  readonly chosen: T;
}

export function Tabs<T extends string>({ label, tabs, chosen }: Props<T>) {
  const bar = useRef<HTMLElement>(null);
  // On a narrow page the chosen tab may be beyond the edge.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another one is another place
  useEffect(() => {
    const at = bar.current?.querySelector<HTMLElement>('.chosen');
    if (at != null) bar.current?.scrollTo({ left: at.offsetLeft - at.offsetWidth / 2 });
  }, [chosen]);
  return (
    <nav className="tabs" aria-label={label} ref={bar}>
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
