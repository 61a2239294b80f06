/** What there is to do where no file has arrived: watch a directory, or look at the strikes that there are. */
import { Link } from '@tanstack/react-router';
import { useFirstChoices } from '../choices/object-choice.tsx';
import { counted } from '../format/amounts.ts';
import { Empty } from '../parts/states.tsx';
import { strikesById } from '../strikes/queries.ts';
import { WatchForm } from '../strikes/watch-form.tsx';

export function NothingArrived({ title }: { readonly title: string }) {
  const strikes = useFirstChoices(strikesById);
  if (strikes.data === undefined) return null;
  if (strikes.data.count > 0) {
    return (
      <Empty title={title}>
        {counted(strikes.data.count, 'strike')} may find some: their pages say what they watch, and{' '}
        <Link to="/console/strikes/">try names</Link> on their rules.
      </Empty>
    );
  }
  return (
    <section aria-label="Watch a directory" className="first-step">
      <h2>{title}: watch a directory</h2>
      <WatchForm />
    </section>
  );
}
