// @ts-check
import { start } from "./common.js";

void start(async () => {}); // the text is in the page
