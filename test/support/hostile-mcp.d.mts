export declare const injection: string;
