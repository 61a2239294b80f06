import fc from 'fast-check';
import t from 'tap';
import { Ancestry, topologicalOrder } from '../../../src/domain/recipe/recipe-order.ts';

t.test('recipe order: parents come first, and ancestry agrees with the paths of the graph', async (t) => {
  const graph = fc.array(fc.array(fc.tuple(fc.nat(40), fc.boolean()), { maxLength: 4 }), { maxLength: 40 });
  t.doesNotThrow(() =>
    fc.assert(
      fc.property(graph, fc.boolean(), (lists, isAcyclic) => {
        const nodes = new Map(
          lists.map((list, index) => {
            const targets = list.map(([to, acceptance]) => ({
              name: `n${isAcyclic ? to % Math.max(1, index) : to}`,
              acceptance,
            }));
            return [`n${index}`, { dependencies: isAcyclic && index === 0 ? [] : targets }];
          }),
        );
        const reach = (from: string): Set<string> => {
          const [seen, todo] = [new Set<string>(), [from]];
          for (let name = todo.pop(); name !== undefined; name = todo.pop()) {
            for (const { name: parent } of nodes.get(name)?.dependencies ?? []) {
              if (nodes.has(parent) && !seen.has(parent)) {
                seen.add(parent);
                todo.push(parent);
              }
            }
          }
          return seen;
        };
        const sorted = topologicalOrder(nodes);
        const isCyclic = [...nodes.keys()].some((name) => reach(name).has(name));
        if ('cycle' in sorted) return isCyclic && sorted.cycle.length > 0;
        const ancestry = new Ancestry(nodes, sorted.order);
        const places = new Map(sorted.order.map((name, index) => [name, index]));
        return (
          !isCyclic &&
          sorted.order.length === nodes.size &&
          [...nodes.keys()].every((name) => {
            const ancestors = reach(name);
            return [...nodes.keys()].every((other) => {
              const isFirst =
                !ancestors.has(other) || (places.get(other) as number) < (places.get(name) as number);
              const edges = [name, ...ancestors].flatMap(
                (at) => nodes.get(at)?.dependencies.filter((edge) => edge.name === other) ?? [],
              );
              return (
                isFirst &&
                ancestry.isAncestor(other, name) === ancestors.has(other) &&
                ancestry.needsAcceptance(other, name) === edges.some((edge) => edge.acceptance) &&
                ancestry.needsRefusal(other, name) === edges.some((edge) => !edge.acceptance)
              );
            });
          })
        );
      }),
    ),
  );
});
