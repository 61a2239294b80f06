/**
 * An expression whose byte order is the order of semantic versions; `column` holds valid versions only. Numbers are
 * prefixed with their length; a release sorts above its pre-releases, a pre-release of fewer parts below one that
 * continues it. Versions that differ in their build alone are ordered by its text.
 */
export function versionKey(column: string): string {
  const core = `split_part(${column}, '+', 1)`;
  const number = `lpad(length(part)::text, 2, '0') || part`;
  const parts = (list: string) => `unnest(string_to_array(${list}, '.')) with ordinality as p(part, n)`;
  const triple = parts(`split_part(${core}, '-', 1)`);
  const release = `(select string_agg(${number}, '.' order by n) from ${triple})`;
  const prerelease = `(select '-' || string_agg(
      case when part ~ '^[0-9]+$' then '!0' || ${number} else '!1' || part end, '' order by n)
    from ${parts(`substring(${core} from '-(.*)$')`)})`;
  const build = `coalesce(substring(${column} from '\\+(.*)$'), '')`;
  return `(${release} || coalesce(${prerelease}, '~') || ' ' || ${build}) collate "C"`;
}
