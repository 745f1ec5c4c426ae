/**
 * A policy that is somebody outside: proposals come in one by one, and each is
 * answered with what came of it.
 *
 * The run asks for a proposal and waits; a caller brings one and waits for the
 * next question, which carries the outcome of what it brought. Whoever comes
 * while another waits stands in line, because an episode has one step at a time.
 */
import type { Brief, EpisodePolicy, Observation, Policy, Proposal } from "@bridle/search";

export interface Answer {
  readonly brief: Brief;
  /** What is seen now; the last one when the episode has ended. */
  readonly observation: Observation;
}

interface Question {
  readonly answer: Answer;
  take(proposal: Proposal): void;
}

export class OutsidePolicy implements Policy {
  readonly policyId = "outside.v1";
  readonly params = {};
  readonly nondeterministicComponents = ["an agent outside"];
  private question: Question | undefined;
  private waiting: ((question: Question | undefined) => void)[] = [];
  private last: Answer | undefined;
  private over = false;
  private turn: Promise<unknown> = Promise.resolve();

  begin(brief: Brief): EpisodePolicy {
    return {
      propose: (observation) =>
        new Promise<Proposal>((take) => this.ask({ answer: { brief, observation }, take })),
    };
  }

  /** What is asked now. Undefined when the episode is over before anything was asked. */
  async look(): Promise<Answer | undefined> {
    return (await this.nextQuestion())?.answer ?? this.last;
  }

  /** What came of the proposal; undefined when it ended the episode, or the episode was over. */
  propose(proposal: Proposal): Promise<Answer | undefined> {
    const answered = this.turn.then(async () => {
      const question = await this.nextQuestion();
      if (question === undefined) return undefined;
      this.question = undefined;
      question.take(proposal);
      return (await this.nextQuestion())?.answer;
    });
    this.turn = answered.catch(() => {});
    return answered;
  }

  /** No more will be asked. */
  end(): void {
    this.over = true;
    this.question = undefined;
    for (const wake of this.waiting.splice(0)) wake(undefined);
  }

  get ended(): boolean {
    return this.over;
  }

  private ask(question: Question): void {
    this.question = question;
    this.last = question.answer;
    for (const wake of this.waiting.splice(0)) wake(question);
  }

  private nextQuestion(): Promise<Question | undefined> {
    if (this.question !== undefined || this.over) return Promise.resolve(this.question);
    return new Promise((wake) => this.waiting.push(wake));
  }
}
