/** Chooses whether the recipe types that contain a type take its new revision over. */
interface Props {
  /** The recipe types that contain the type; without any, there is nothing to choose. */
  readonly users: readonly unknown[];
  readonly isChosen: boolean;
  readonly choose: (isChosen: boolean) => void;
}

export function TakeOver({ users, isChosen, choose }: Props) {
  if (users.length === 0) return null;
  return (
    <label className="check">
      <input type="checkbox" checked={isChosen} onChange={({ target }) => choose(target.checked)} />
      Recipe types that contain it take the new revision over
    </label>
  );
}
