"""Words that the training texts are made of: what a question asks, of what, where and when."""

from __future__ import annotations

# ---------------------------------------------------------------------------------------- English

EN_KINDS = (
    "castle;ship;novel;film;mountain;lake;garden;church;tower;stadium;palace;company;orchestra;"
    "newspaper;airport;harbour;canal;mine;theatre;library;hotel;statue;cave;island;lighthouse;"
    "airship;submarine;telescope;clock;car;rocket;robot;cheese;wine;dance;game;song;opera;drum;"
    "windmill;tunnel;market;school;prison;zoo;fort;abbey;tram;ferry;cinema;academy;council;society"
).split(";")
EN_ADJECTIVES = (
    "old;new;great;small;red;grand;northern;southern;upper;lower;royal;silver;golden;winter;summer;"
    "blue;white;black;green;stone;iron;glass;paper;river;water;light;spring;autumn;salt;wind"
).split(";")
EN_TRADES = (
    "painter;singer;doctor;physicist;poet;cook;pilot;judge;dancer;sailor;chemist;botanist;printer;"
    "smith;mayor;clockmaker;builder;surgeon;composer;historian;lawyer;potter;weaver;architect"
).split(";")
EN_PARTICIPLES = (
    "built;sold;closed;founded;painted;restored;moved;named;discovered;burned;flooded;finished;"
    "renamed;printed;launched;repaired;enlarged;stolen;found;tested;bought;described;published;"
    "destroyed;paid;measured;planned;begun;abandoned;filmed;translated;invented;designed;raised;"
    "opened;held;made;produced;rebuilt;cast;carved;shown;used;given up;pulled down;set up;elected"
).split(";")
EN_PAST = (
    "built;sold;bought;founded;painted;restored;moved;discovered;finished;renamed;repaired;"
    "described;saved;led;directed;owned;planned;paid for;wrote about;invented;designed;opened;"
    "measured;visited;won;lost;ran;started;left;drew;made;financed;photographed;defended;taught"
).split(";")
EN_VERBS = (
    "build;sell;buy;find;open;close;leave;paint;move;test;visit;like;use;restore;carry;describe;"
    "study;show;need;reach;cross;serve;produce;join;begin;end;lie;stand;grow;flow;work;stop;live;"
    "start;become;belong;travel;burn;fall;open;win;lose;keep;change;make;support;play;sound;cost"
).split(";")
EN_MEASURES = (
    "tall:metres;deep:metres;wide:metres;heavy:tonnes;large:hectares;high:feet;fast:knots;"
    "old:years;thick:centimetres;long:miles;far:miles;broad:feet;long:hours;big:acres;"
    "strong:horsepower;loud:decibels;warm:degrees;high:metres;long:metres;long:kilometres"
).split(";")
EN_NOUNS = (
    "colour;owner;price;roof;name;captain;author;purpose;capital;motto;founder;director;shape;"
    "address;symbol;patron;rival;language;weight;origin;main hall;oldest part;first owner;top speed;"
    "height;area;depth;material;best known work;first name;flag;currency;nickname;successor;teacher;"
    "birthplace;field;main product;emblem;entrance;keeper;length;source;population;prize;theme"
).split(";")
EN_PLURALS = (
    "rooms;windows;members;towers;seats;pages;engines;steps;doors;workers;wheels;islands;books;"
    "visitors;bells;songs;branches;boats;floors;chapters;children;students;animals;lamps;sails;"
    "inhabitants;pupils;arches;strings;keys;players;pipes;gates;columns;guests;stalls;trees"
).split(";")
EN_MATERIALS = (
    "brick;marble;iron;glass;clay;silk;silver;ivory;sandstone;cedar;pine;slate;leather;ash;gold;"
    "concrete;tin;lead;wool;maple;zinc;cork;basalt;steel;oak;copper;granite;bronze;wood;paper"
).split(";")
EN_TAILS = (
    ";;;;;;in spring;at first;before the war;for the second time;after the fire;by the council;"
    "today;in the end;in the first place;on foot;at night;without help;at the start;every year;"
    "during the flood;in all;by hand;for a long time;in the north;on average;these days;as a rule;"
    "to the public;from end to end;to this day;at that place;on Sundays;in both cases;until now"
).split(";")
EN_REASONS = (
    "people;critics;visitors;the mayor;the council;experts;children;farmers;sailors;the king;"
    "many artists;neighbours;students;the owners;historians;the first settlers;merchants"
).split(";")
EN_FILL = (
    "about after again all almost already also always any around away back because before behind "
    "below best better between big both bright broken by can careful cheap clean clear close cold "
    "common deep different does done down during each early east easy empty enough even ever every "
    "far fast few first flat for free fresh from full good half hard heavy here high hot how if in "
    "inside into just kind known large last late left less like little long loud low made main many "
    "more most much near never next nice north not now of off often on one only open or "
    "out outside over own part past people piece place plain point poor quick quiet ready real "
    "right rough round same second several short side since slow so soft some soon south still "
    "straight strange strong such sure tall than thick thin third time "
    "to today together too top town true two under until up use useful usually very way weak well "
    "west wet what when where which while whole wide with without word work world worth year young"
).split()
MONTHS = (
    "January February March April May June July August September October November December"
).split()

# ---------------------------------------------------------------------------------------- Chinese

ZH_KINDS = (
    "城堡;轮船;小说;电影;山峰;湖;花园;教堂;高塔;体育场;宫殿;公司;乐团;报社;机场;港口;运河;矿山;剧院;"
    "图书馆;酒店;雕像;山洞;岛;灯塔;飞艇;潜艇;望远镜;大钟;汽车;火箭;机器人;奶酪;葡萄酒;舞蹈;游戏;歌曲;"
    "歌剧;风车;隧道;市场;学校;动物园;要塞;寺院;电车;渡船;影院;学院;协会;水库;瀑布;广场;医院;茶馆"
).split(";")
ZH_TRADES = (
    "画家;歌手;医生;物理学家;诗人;厨师;飞行员;法官;舞蹈家;水手;化学家;植物学家;印刷工;铁匠;市长;"
    "钟表匠;外科医生;作曲家;历史学家;律师;陶艺师;织工;建筑师;教师;演员;记者"
).split(";")
ZH_VERBS = (
    "建造;出售;关闭;创办;绘制;修复;搬迁;命名;发现;烧毁;完成;改名;印刷;启用;修理;扩建;找到;测试;购买;"
    "描写;出版;毁坏;测量;规划;废弃;拍摄;翻译;发明;设计;开放;举办;制造;生产;重建;雕刻;展出;使用;选出;"
    "参观;保护;资助;领导;管理;改造;记录;研究;介绍;开始;停用;拆除;成立;赢得;开采;演出;种植;装饰"
).split(";")
ZH_MEASURES = (
    "高:米;深:米;宽:米;重:吨;大:公顷;长:里;厚:厘米;久:小时;远:公里;快:节;长:米;长:公里;高:尺;"
    "响:分贝;热:度;重:公斤;大:亩"
).split(";")
ZH_NOUNS = (
    "颜色;主人;价格;屋顶;名字;船长;作者;用途;首府;创始人;经理;形状;地址;标志;赞助人;对手;语言;重量;"
    "来源;大厅;最老的部分;第一位主人;最高速度;高度;面积;深度;材料;代表作;旗帜;外号;继任者;老师;出生地;"
    "专业;主要产品;大门;管理员;长度;源头;人口;奖品;主题;父亲;故乡;特点;邻居;直径;年龄"
).split(";")
ZH_PLURALS = (
    "个房间;扇窗;名会员;座塔;个座位;页;台发动机;级台阶;扇门;名工人;个轮子;本书;名观众;口钟;首歌;家分店;"
    "条船;层;章;名学生;头动物;盏灯;张帆;名居民;个桥孔;根弦;个键;名队员;根柱子;棵树;个摊位;位客人"
).split(";")
ZH_MATERIALS = (
    "砖;大理石;铁;玻璃;陶土;丝绸;银;象牙;砂岩;雪松;松木;石板;皮革;黄金;混凝土;锡;铅;羊毛;枫木;"
    "锌;软木;玄武岩;钢;橡木;铜;花岗岩;青铜;竹子;纸"
).split(";")
ZH_PLACES = "北部;南部;东岸;西边;河口;山脚下;老城里;海边;山谷里;码头旁;中心;郊外".split(";")
ZH_ADVERBS = ";;;;;;后来;最初;战争以前;第二次;火灾以后;现在;最后;当初;每年;一般;真正;一共;今天".split(";")
ZH_REASONS = "人们;评论家;游客;市长;议会;专家;孩子们;农民;水手;国王;艺术家;学生;商人;历史学家".split(";")
# Letters that names and scrambled questions take: common ones, and all that the words above have.
ZH_COMMON = (
    "的一是了我不人在他有这个上们来到时大地为子中你说生国年着就那和要她出也得里后自以会家可下而过天去能对"
    "小多然于心学么之都好看起发当没成只如事把还用第样道想作种开美总从无情己面最女但现前些所同日手又行意动方"
    "期它头经长儿回位分爱老因很给名法间斯知世什两次使身者被高已亲其进此话常与活正感见明问力理尔点文几定本公"
    "特做外孩相西果走将月十实向声车全信重三机工物气每并别真打太新比才便夫再书部水像眼等体却加电主界门利海受"
    "听表德少克代员许先口由死安写性马光白或住难望教命花结乐色更拉东神记处让母父应直字场平报友关放至张认接告"
    "入笑内英军候民岁往何度山觉路带万男边风解叫任金快原吃妈变通师立象数四失满战远格士音轻目条呢病始达深完今"
    "提求清王化空业思切怎非找片罗钱紧城周连诉石干夜怒台双船办随千近司品建造河湖桥江村镇乡林森田谷峰岭泉溪"
    "江港湾岛岸堤坝闸渡舟航轮琴笛鼓钟弦管铃号角锣瑟箫琵琶筝丝绢棉麻织布染纺梭机炉窑铸锻炼铁钢铜锡银金玉珠"
    "瓷陶砖瓦木竹藤松柏杉杨柳桃李杏梅兰荷莲菊桂枫桐樟榆槐节祭会灯火烟舞歌戏赛奖杯冠旗队届届举春夏秋冬晴雨"
    "雪霜露云雾雷虹星辰阳阴朝暮晨昏红橙黄绿青蓝紫黑白灰东南西北左右前后上下里外中央赵钱孙李周吴郑王冯陈卫"
    "蒋沈韩杨朱秦许何吕施张孔曹严华金魏陶姜谢邹喻柏窦章苏潘葛范彭鲁韦昌苗凤方任袁柳史唐费薛雷贺倪汤罗毕安"
    "常齐康余顾孟黄萧尹姚邵汪毛米贝臧戴宋庞纪舒屈项祝董梁杜阮蓝闵季贾路娄危童颜郭盛林刁钟徐邱骆高夏蔡田樊"
    "胡凌霍虞万柯莫房解应宗丁宣邓杭洪包石崔龚程裴陆荣荀惠曲储段侯宁仇甘厉祖武符刘景詹龙叶司黎印宿怀蒲从索"
    "籍赖卓蔺屠蒙池乔阴胥能苍闻党翟谭劳申扶堵冉宰雍桑濮牛寿通边燕冀浦尚农温庄晏柴瞿阎充慕茹习艾鱼容古易慎"
    "戈廖终居衡步都耿满弘匡国文寇广东殴利师巩聂晁勾敖融冷辛那简饶曾关蒯相查后荆红游权盖益桓公维默尼亚塔卡拉"
    "萨诺瓦洛伊奥帕比迪里纳米波多玛莎娜丽琳奇巴格鲁布卢伦顿森曼哈欧兹丹麦芬恩莱茵佩雅思霍坎加索戴梅嘉露希"
    "百千亿半双单首尾底顶端旁根支座条块口层级页章件套台架辆艘艇只匹头枚颗粒滴吨斤两尺寸米厘毫里亩升瓶"
    "仓低值六卖卸压取吊吗吧坊坐墙墩夺奏存室川库床弓引徽念抽拨拿摇收改早末术材板柄栗校核桌桶梨椴楸榉槌樱椰"
    "橡沙油泵炸烛热熏牧牲球琉璃画盐矿磨票离稻站筏箱粥粮糕纸绘绸缝缩罐罢羊脚脱腌腐腿芳苹草获菜落蒸蜂蜜蜡街"
    "袋裁装览订请豆财货贴越足踏铺锁锤闹阅集靠题饭饺饼驿鳗鹅猫狗猪鸡鸭兔虎豹狼熊猴象蛇蛙龟虾蟹蚕蚁蝶燕雀鹰"
    "葱姜蒜椒茄瓜薯芋葡萄橙柑枣核糖醋酱酒茶咖啡盆碗筷勺锅炒煮烤煎炖刀剪斧锯钉钳绳链轴轨轿厢厅廊柜椅凳"
    "窗帘毯枕被褥衣裤裙鞋袜帽巾衫袍纽扣针线缎呢绒胶漆粉墨砚笔册卷碑匾额亭阁楼殿庙寺观庵府衙院巷弄坡岔崖壁洞"
    "沟渠井塘沼滩洲屿礁潮浪涛瀑涌汛冰雹霞虹霾旱涝寒暖凉爽潮湿甜酸苦辣咸淡香臭软硬粗细厚薄宽窄圆方尖钝深浅"
    "耕犁播插收割晒碾磨筛榨酿腌挖掘铲填砌刷粘贴挂吊绑捆拆卸搬抬扛推拉拖拽踢踩跳跑爬滚摔碰撞敲打拍捏掐抓握"
    "吹唱念读写抄描刻塑编排练考试答问批评奖罚赔赚借租买卖换送寄投递存取查验证签订租赁聘雇辞退休假病痛伤疗药"
    "诊剂胃肺肝肾骨血肌肤眉鼻耳嘴唇舌牙喉颈肩背腰腹臂肘腕指膝踝脑聪愚勇怯勤懒诚骗喜怒哀惧爱恨羡妒忧愁"
)
