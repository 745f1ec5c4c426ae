/** What `bridle status` answers. */
import * as Type from "typebox";

const orNull = <Of extends Type.TSchema>(of: Of) => Type.Union([of, Type.Null()]);

export const Status = Type.Object({
  action: Type.Literal("bridle.status"),
  folder: Type.String(),
  memory: Type.Boolean({ description: "Whether there are issues at all." }),
  ready: Type.Array(Type.Object({ id: Type.String(), title: Type.String(), priority: Type.Integer() })),
  running: Type.Array(
    Type.Object({
      id: Type.String(),
      who: Type.String(),
      doing: orNull(Type.String({ description: "The effect that a worker is in." })),
      seconds: orNull(Type.Integer({ description: "For how long." })),
      until: orNull(Type.String({ description: "When the lease of somebody else ends." })),
    }),
  ),
  forYou: Type.Array(
    Type.Object({
      id: Type.String(),
      says: Type.String(),
      command: Type.String({ description: "What deals with it." }),
    }),
  ),
  lastRun: orNull(
    Type.Object({
      run: Type.String(),
      state: Type.String(),
      done: Type.Integer(),
      review: Type.Integer(),
      notDone: Type.Integer(),
      steps: Type.Integer(),
      costUsd: Type.Number(),
      unpricedSteps: Type.Integer(),
    }),
  ),
});
export type Status = Type.Static<typeof Status>;
