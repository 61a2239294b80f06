/** A filter that a link has set. It can only be removed. */
interface Props {
  /** The name of the filter: "Recipe". */
  readonly name: string;
  readonly value: string | undefined;
  readonly remove: () => void;
}

export function SetFilter({ name, value, remove }: Props) {
  if (value === undefined) return null;
  return (
    <button type="button" className="chosen-filter" onClick={remove}>
      {name} {value} <span aria-hidden="true">✕</span>
      <span className="hidden">Remove this filter</span>
    </button>
  );
}
