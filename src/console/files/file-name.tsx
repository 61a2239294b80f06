/** A file's name. If it does not fit, its middle is left out: names of one source often differ at their ends only. */
const TAIL_CHARACTERS = 14;

export function FileName({ name }: { readonly name: string }) {
  const letters = [...name];
  if (letters.length <= 2 * TAIL_CHARACTERS) return name;
  return (
    <span className="file-name">
      <span>{letters.slice(0, -TAIL_CHARACTERS).join('')}</span>
      <span>{letters.slice(-TAIL_CHARACTERS).join('')}</span>
    </span>
  );
}
