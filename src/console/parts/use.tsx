/** The used part of a resource, as a bar and in words. */
import type { components } from '../../client/operations.ts';
import { resource } from '../format/amounts.ts';

interface Props {
  /** The name of the resource: "mem". */
  readonly name: string;
  readonly amount: components['schemas']['StatusResources']['cpus'] | undefined;
}

export function Use({ name, amount }: Props) {
  if (amount === undefined) return <span className="soft">–</span>;
  const share = amount.total === 0 ? 0 : Math.min(1, amount.running / amount.total);
  return (
    <span className="use number">
      <span className="use-track" aria-hidden="true">
        <span style={{ width: `${100 * share}%` }} />
      </span>
      <span className="use-amounts">
        <span>{resource(name, amount.running)}</span>{' '}
        <span className="soft">/ {resource(name, amount.total)}</span>
      </span>
    </span>
  );
}
