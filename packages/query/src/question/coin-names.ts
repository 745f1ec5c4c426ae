/**
 * The coins that a question may name, and what people call them.
 *
 * A name that is also a word of the language ("link", "pump", "near") stands for
 * the coin only where something beside it says so; one that is nearly always the
 * word ("me", "not", "usual") only when it is written like a ticker.
 */
import { wordTable } from "./word-table.js";

/** Names that mean nothing else. */
const plain =
  "BTC ETH ATOM MATIC DYDX SOL AVAX BNB LTC ARB DOGE INJ SUI CRV LDO STX RNDR CFX FTM GMX SNX XRP BCH APT AAVE MKR WLD FXS " +
  "HPOS RLB UNIBOT YGG TRX SEI RUNE SHIA CYBER ZRO BLZ TRB FTT LOOM OGN RDNT BNT CANTO BIGTIME KAS ORBS TIA BSV ADA MINA " +
  "POLYX PENDLE STG FET STRAX ORDI BADGER FIL PYTH SUSHI ILV IMX USTC NFTI JUP RSR JTO NTRN WIF ENS XAI UMA ONDO DYM MAVIA " +
  "PANDORA STRK PIXEL TAO MYRO BOME ETHFI ENA MNT TNSR MERL HBAR POPCAT EIGEN REZ BRETT LISTA MEW CATI CELO HMSTR NEIROETH " +
  "MOODENG PURR PNUT XLM CHILLGUY IOTA ALGO HYPE PENGU FARTCOIN AI16Z AIXBT ZEREBRO GRIFFAIN MORPHO TRUMP MELANIA VVV BERA " +
  "KAITO PAXG WCT ZORA DOOD LAUNCHCOIN NXPC SOPH RESOLV SYRUP YZY XPL WLFI LINEA AVNT STBL HEMI ZEC ICP AERO kPEPE kBONK " +
  "kSHIB kFLOKI kLUNC kDOGS kNEIRO";

/** Also words, or parts of other names. */
const ambiguous =
  "LINK PUMP NEAR OP APE DOT UNI TON COMP SAND BLUR GALA RENDER GOAT GRASS ANIME SAGA CAKE SPX NEO ZEN ZETA MANTA VINE JELLY " +
  "ASTER APEX ARK";

/** Nearly always the word. */
const words =
  "ME NOT USUAL GAS IP IO AI AR S W CC MET MON OM ETC GMT ZK TST INIT PROMPT BIO POL FRIEND OX REQ MAV SCR PEOPLE SUPER ALT " +
  "MEME LAYER MOVE BLAST ACE PROVE MEGA HYPER VIRTUAL SKY BABY NIL OMNI TURBO";

/** Nearly always the word, and a coin of another spelling. */
const wordAliases: Readonly<Record<string, string>> = { dogs: "kDOGS" };

const aliases: Readonly<Record<string, string>> = {
  ...{
    bitcoin: "BTC",
    bitcoins: "BTC",
    xbt: "BTC",
    bitcorn: "BTC",
    ethereum: "ETH",
    ether: "ETH",
    etherium: "ETH",
  },
  ...{ solana: "SOL", soalna: "SOL", dogecoin: "DOGE", ripple: "XRP", cardano: "ADA", avalanche: "AVAX" },
  ...{
    arbitrum: "ARB",
    optimism: "OP",
    litecoin: "LTC",
    polkadot: "DOT",
    chainlink: "LINK",
    polygon: "MATIC",
  },
  ...{ cosmos: "ATOM", aptos: "APT", injective: "INJ", celestia: "TIA", worldcoin: "WLD", tron: "TRX" },
  ...{ stellar: "XLM", filecoin: "FIL", dogwifhat: "WIF", pudgy: "PENGU", lido: "LDO", jupiter: "JUP" },
  ...{ kaspa: "KAS", hedera: "HBAR", zcash: "ZEC", starknet: "STRK", ethena: "ENA", eigenlayer: "EIGEN" },
  ...{
    bittensor: "TAO",
    spx6900: "SPX",
    berachain: "BERA",
    virtuals: "VIRTUAL",
    toncoin: "TON",
    apecoin: "APE",
  },
  ...{ pumpfun: "PUMP", fart: "FARTCOIN", thorchain: "RUNE", monad: "MON", plasma: "XPL" },
  ...{
    pepe: "kPEPE",
    bonk: "kBONK",
    shib: "kSHIB",
    shiba: "kSHIB",
    floki: "kFLOKI",
    lunc: "kLUNC",
  },
  ...{
    neiro: "kNEIRO",
    wifhat: "WIF",
    binancecoin: "BNB",
    sandbox: "SAND",
    immutable: "IMX",
    sushiswap: "SUSHI",
  },
};

/** Two words that are one name. */
export const pairs = wordTable<string>({
  ...{ "bitcoin cash": "BCH", "ethereum classic": "ETC", "near protocol": "NEAR", "moo deng": "MOODENG" },
  ...{
    "pudgy penguins": "PENGU",
    "shiba inu": "kSHIB",
    "dog wif": "WIF",
    "pump fun": "PUMP",
    "curve dao": "CRV",
  },
  ...{
    "binance coin": "BNB",
    "internet computer": "ICP",
    "world liberty": "WLFI",
    "launch coin": "LAUNCHCOIN",
  },
});

export type Certainty = "plain" | "ambiguous" | "word";

/** Lower case to the exchange's spelling, and how sure the name alone makes. */
export const coinNames: ReadonlyMap<string, { readonly coin: string; readonly certainty: Certainty }> =
  new Map([
    ...entries(words, "word"),
    ...entries(ambiguous, "ambiguous"),
    ...entries(plain, "plain"),
    ...aliased(aliases, "plain"),
    ...aliased(wordAliases, "word"),
  ]);

function entries(list: string, certainty: Certainty) {
  return list.split(" ").map((coin) => [coin.toLowerCase(), { coin, certainty }] as const);
}

function aliased(names: Readonly<Record<string, string>>, certainty: Certainty) {
  return Object.entries(names).map(([alias, coin]) => [alias, { coin, certainty }] as const);
}

/** Long names, where one wrong letter still leaves no doubt. */
export const longNames: readonly string[] = [...coinNames.entries()]
  .filter(([name, { certainty }]) => name.length >= 7 && certainty === "plain")
  .map(([name]) => name);

/** What belongs into the digest of this room's knowledge. */
export const coinTable: readonly (readonly [string, string, Certainty])[] = [
  ...[...coinNames].map(([name, { coin, certainty }]) => [name, coin, certainty] as const),
  ...Object.entries(pairs).map(([name, coin]) => [name, coin, "plain"] as const),
];
