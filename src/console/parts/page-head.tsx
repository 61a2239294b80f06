/** The head of a page: a link to its list, its title, and its actions. */
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';

interface Props {
  readonly title: ReactNode;
  /** The list that the page belongs to. */
  readonly above?: { readonly title: string; readonly href: string };
  readonly beside?: ReactNode;
  /** Actions. */
  readonly children?: ReactNode;
}

export function PageHead({ title, above, beside, children }: Props) {
  return (
    <div className="page-head">
      <h1>
        {above !== undefined && (
          <>
            <Link to={above.href} className="crumb">
              {above.title}
            </Link>{' '}
            <span aria-hidden="true" className="soft">
              /
            </span>{' '}
          </>
        )}
        {title}
      </h1>
      {beside}
      {children !== undefined && <div className="page-actions">{children}</div>}
    </div>
  );
}
