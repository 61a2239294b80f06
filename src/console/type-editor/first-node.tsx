/** How a recipe type is made, and a choice of the job type that its first node runs. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Loaded } from '../parts/states.tsx';
import { jobTypesForNodes } from './queries.ts';

export function FirstNode() {
  const types = useQuery(jobTypesForNodes);
  return (
    <div className="form">
      <p className="soft">
        The draft has no nodes yet. A node runs a job type with the files of the recipe, or with the products
        of the nodes before it. See <a href="/docs/guide/recipes/">recipes</a>.
      </p>
      <Loaded query={types}>
        {({ results }) =>
          results.length === 0 ? (
            <p>
              There is no job type yet: <Link to="/console/new-job-type/">create one first</Link>.
            </p>
          ) : (
            <div>
              <h3>Begin with a job type</h3>
              <ul className="plain-list">
                {results.map(({ id, name, version, title }) => (
                  <li key={id}>
                    <Link to="/console/new-recipe-type/" search={{ job_type: name, version }}>
                      {title}
                    </Link>{' '}
                    <span className="soft">
                      {name} {version}
                    </span>
                  </li>
                ))}
              </ul>
            </div>
          )
        }
      </Loaded>
    </div>
  );
}
