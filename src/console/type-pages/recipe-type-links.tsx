/** Links to recipe types, one a line. */
import { Link } from '@tanstack/react-router';

interface Named {
  readonly name: string;
  readonly title: string;
}

export function RecipeTypeLinks({ types }: { readonly types: readonly Named[] }) {
  return (
    <ul className="plain-list">
      {types.map(({ name, title }) => (
        <li key={name}>
          <Link to="/console/recipe-types/$name/" params={{ name }}>
            {title}
          </Link>
        </li>
      ))}
    </ul>
  );
}
