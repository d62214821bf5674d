// Everyday words that belong together: names of one thing, and kinds of things with their members.
import { stem } from "./stem.ts";

/** Words for the same thing: each finds the others. */
const SAME = `
mother mom mum mama mommy mummy
father dad papa daddy
grandmother grandma granny nana
grandfather grandpa granddad
kid child children
spouse husband wife partner
sibling brother sister
buy bought purchase
movie film
vacation holiday trip getaway
journey travel trip
doctor physician
flat apartment
house home
autumn fall
car vehicle auto
bike bicycle
phone mobile cellphone smartphone
photo picture photograph snapshot
job occupation profession career
boss manager supervisor
colleague coworker
company firm employer business
salary pay wage income
quit resign leave notice
fired dismissed
begin start
end finish complete stop
repair fix mend
error bug fault mistake defect
crash outage incident
slow latency delay
quick fast speed
delete remove drop
rename name
shop store
school college university
pupil student
teacher tutor instructor
course class lesson
exam test
ill sick unwell
illness disease sickness
medicine medication drug pill
surgery operation
hurt injury injure
pain ache
anxious nervous worried stress
angry mad upset
sad unhappy
glad happy
scared afraid fear
wedding marry marriage
engaged fiance propose
divorce separate split breakup
pregnant expecting
birth born baby
dead die death died passed funeral
present gift
celebrate party
dinner supper
dessert sweet cake
cook prepare recipe dish
price cost expensive
money cash fund budget
rent lease landlord
move relocate
garden yard
garbage trash rubbish
dog puppy hound
cat kitten
hike walk trek
jog run
workout exercise gym train
swim pool
cinema theater
concert gig show
contest competition tournament
win prize award
author writer
novel book
paint artwork art
draw sketch
sew knit crochet
volunteer charity
town city village
sea ocean coast beach
forest wood
rain storm
often frequently
teenager teen adolescent
friend buddy pal
meet met
talk speak chat
argue quarrel fight
decide choice choose
suggest recommend advise propose
plan intend
hobby pastime
couch sofa
laptop computer
fridge refrigerator
password credential secret
login signin
configuration config setting
directory folder
database db
repository repo
dependency package library
deploy release ship rollout
server host
parameter argument option
function method
test spec
performance speed memory
update upgrade
schedule calendar appointment
flight plane airport
nationality country origin
religion faith church
`;

/** A kind of thing, then its members: the kind finds them, not they the kind. */
const KINDS = `
pet dog cat puppy kitten hamster rabbit parrot turtle goldfish
animal dog cat horse cow sheep goat pig bird fish whale dolphin turtle bear wolf fox deer rabbit lion tiger elephant monkey snake frog
bird eagle owl parrot pigeon crow hen duck goose swan penguin
instrument guitar piano violin drum trumpet trombone flute cello saxophone clarinet bass ukulele harp
music jazz rock pop classical folk blues opera hip hop song band concert
sport football soccer basketball tennis volleyball baseball hockey golf rugby swim run climb ski surf cycle boxing yoga
exercise run jog swim yoga gym pilates cycle hike stretch walk
hobby paint draw pottery garden knit read chess photography cook bake hike fish dance guitar piano climb woodwork sew
activity paint swim hike camp run cook bake dance pottery read climb kayak game museum
craft pottery knit sew woodwork origami weave ceramic
game chess poker card puzzle videogame console board
furniture table chair stool sofa couch bed desk shelf bench cupboard wardrobe mattress dresser
vehicle car van truck bus motorcycle bicycle train boat camper scooter tram
job nurse teacher engineer doctor lawyer cook chef waiter baker driver plumber carpenter accountant librarian designer developer programmer manager clerk journalist architect dentist mechanic scientist
occupation nurse teacher engineer doctor lawyer chef waiter baker driver plumber carpenter accountant librarian designer developer manager clerk journalist architect mechanic
profession nurse teacher engineer doctor lawyer chef driver accountant librarian designer developer journalist architect mechanic
relative mother father sister brother aunt uncle cousin grandmother grandfather niece nephew son daughter
family mother father sister brother aunt uncle cousin grandmother grandfather niece nephew son daughter husband wife parent
country france germany italy spain portugal japan china india brazil mexico canada england scotland ireland sweden norway greece turkey egypt australia thailand vietnam korea america
city paris london berlin rome madrid tokyo york boston chicago lisbon vienna amsterdam barcelona prague dublin sydney toronto
language english french german spanish italian portuguese japanese chinese korean russian arabic sign
season spring summer autumn winter
month january february march april june july august september october november december
weekday monday tuesday wednesday thursday friday saturday sunday
colour red blue green yellow black white orange purple pink brown grey
color red blue green yellow black white orange purple pink brown gray
food pizza pasta soup bread cheese salad rice meat chicken fish cake curry stew sandwich
meal breakfast lunch dinner supper brunch
fruit apple pear banana orange lemon cherry strawberry grape peach mango
vegetable carrot tomato potato onion cucumber spinach pepper bean lentil cabbage
drink coffee tea wine beer juice water whisky cocktail smoothie
dessert cake pie cookie pastry ice cream chocolate pudding brownie
allergy allergic peanut nut gluten lactose pollen
illness flu fever cold cancer diabetes arthritis asthma allergy migraine infection
health doctor hospital cholesterol blood pressure diet fever surgery
injury knee ankle shoulder wrist broken sprain fracture
clothes shirt dress jacket coat shoe trousers jeans sweater hat scarf suit
jewelry ring necklace bracelet earring watch
plant flower tree rose lavender cactus herb tulip fern
flower rose tulip lavender sunflower daisy lily orchid
tree oak pine apple cherry maple birch lemon
weather rain snow sun wind storm fog hot cold
emotion happy sad angry afraid proud nervous anxious lonely relieved
feel happy sad angry afraid proud nervous anxious lonely relieved thrilled
building house church school library museum hospital tower castle
place restaurant cafe museum park beach library church gym
device phone laptop tablet camera computer watch
appliance fridge oven dishwasher toaster kettle vacuum washing
money dollar euro pound cent franc
price dollar euro pound cost cent
amount dollar euro thousand hundred
degree bachelor master diploma university major
subject math history biology physics chemistry art
religion christian muslim jewish hindu buddhist catholic church
genre fantasy thriller romance mystery horror comedy drama
sibling brother sister
pastry croissant muffin donut bun
book novel author chapter read
error exception failed undefined null timeout crash
database postgres sqlite mysql redis mongodb sql
framework react vue svelte angular django flask rails express
language python javascript typescript rust java golang
browser safari chrome firefox webkit edge
problem error failed crash slow wrong broken bug
`;

const groups = new Map<string, Set<string>>();
function add(word: string, others: readonly string[]): void {
  const group = groups.get(word) ?? new Set();
  groups.set(word, group);
  for (const other of others) if (other !== word) group.add(other);
}
const linesOf = (text: string): string[][] =>
  text
    .trim()
    .split("\n")
    .map((line) => line.split(" ").map(stem));
for (const words of linesOf(SAME)) for (const word of words) add(word, words);
for (const [kind = "", ...members] of linesOf(KINDS)) add(kind, members);

/** Stems that belong to this one. */
export const groupOf = (root: string): readonly string[] => [...(groups.get(root) ?? [])];
