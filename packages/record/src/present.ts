/**
 * An object without the members that are not there.
 *
 * What a newcomer gets wrong: a member that is `undefined` is not one that is left out. Our optional members are left
 * out, so that a row, a digest and a comparison do not see them.
 */
export type Present<Shape> = {
  [Name in keyof Shape as undefined extends Shape[Name] ? never : Name]: Shape[Name];
} & {
  [Name in keyof Shape as undefined extends Shape[Name] ? Name : never]?: Exclude<Shape[Name], undefined>;
};

export function present<Shape extends object>(shape: Shape): Present<Shape> {
  // By hand: there is one for every row of a turn, and `Object.entries` costs more than all the rest.
  const kept: Record<string, unknown> = {};
  for (const name in shape) if (shape[name] !== undefined) kept[name] = shape[name];
  return kept as never;
}
