/** What can be wrong with the routes of operations. */
export const doctrineClasses = {
  doctrine_registry_invalid: "The registry of routes is none.",
  world_route_unbound: "An operation has no row in the registry, or a row has no operation.",
  world_route_unknown_world: "A route family is in a world that the site does not have.",
  world_route_unknown_morphism: "A morphism is none of those that the world has.",
  world_route_morphism_drift: "An operation's morphisms do not say whether it changes anything.",
  runtime_route_missing: "A row names a route family or a module that is not there.",
} as const;
export type DoctrineClass = keyof typeof doctrineClasses;
